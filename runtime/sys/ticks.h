// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A clock that costs a few nanoseconds to read, for decisions that need no better one: its unit
// differs between machines and is not converted.
#pragma once
#include <cstdint>

#if !defined(__x86_64__) && !defined(__aarch64__)
#include <time.h>
#endif

namespace xomp::sys {

#if defined(__x86_64__)
/// Time stamp counter: 2 to 4 per nanosecond.
inline int64_t ticks() { return static_cast<int64_t>(__builtin_ia32_rdtsc()); }
inline constexpr int64_t kTicksOfHandOver = 1000;
inline constexpr int64_t kTicksOfMicrosecond = 2500; ///< about
#elif defined(__aarch64__)
/// Virtual counter: 1 per nanosecond from Armv8.6 on, before that 1 in 10 to 40.
inline int64_t ticks() {
  int64_t value;
  asm volatile("mrs %0, cntvct_el0" : "=r"(value));
  return value;
}
inline constexpr int64_t kTicksOfHandOver = 20;
inline constexpr int64_t kTicksOfMicrosecond = 50; ///< about
#else
inline int64_t ticks() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000 + now.tv_nsec;
}
inline constexpr int64_t kTicksOfHandOver = 400;
inline constexpr int64_t kTicksOfMicrosecond = 1000;
#endif

} // namespace xomp::sys
