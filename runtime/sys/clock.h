// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Time: the monotonic clock in seconds (omp_get_wtime) and its resolution (omp_get_wtick).
#pragma once
#include <cstdint>
#include <ctime>

namespace xomp::sys {

inline double seconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

inline int64_t nanoseconds_of(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec * 1000000000 + now.tv_nsec;
}
/// The monotonic clock's.
inline int64_t nanoseconds() { return nanoseconds_of(CLOCK_MONOTONIC); }
/// What all threads of the process have run so far, together. A system call.
inline int64_t process_nanoseconds() { return nanoseconds_of(CLOCK_PROCESS_CPUTIME_ID); }

inline double clock_resolution() {
  timespec tick;
  clock_getres(CLOCK_MONOTONIC, &tick);
  return static_cast<double>(tick.tv_sec) + static_cast<double>(tick.tv_nsec) * 1e-9;
}

} // namespace xomp::sys
