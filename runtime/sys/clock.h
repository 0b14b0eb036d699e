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

/// That time in nanoseconds.
inline int64_t nanoseconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000 + now.tv_nsec;
}

/// What all threads of the process have run so far, together; nanoseconds. A system call.
inline int64_t process_nanoseconds() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec * 1000000000 + time.tv_nsec;
}

inline double clock_resolution() {
  timespec tick;
  clock_getres(CLOCK_MONOTONIC, &tick);
  return static_cast<double>(tick.tv_sec) + static_cast<double>(tick.tv_nsec) * 1e-9;
}

} // namespace xomp::sys
