// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A clock that costs a few nanoseconds to read, for decisions that need no better one: its unit
// differs between machines, by less than a factor of 4 either way of what is said here, and is not
// converted. Threads on different processors read the same clock.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>

namespace xomp::sys {

/// By how many bits a counter of this rate is shifted so that it runs at half a gigahertz or more:
/// the sizes of tasks are compared with a few hundred nanoseconds, and Arm's counter may have a
/// tick in 40. At most 10, for 1 MHz, which is also the answer where the firmware left the rate at
/// 0.
constexpr int shift_to_nanoseconds(uint32_t hertz) {
  constexpr int kBitsOfGigahertz = 30;
  return std::clamp(kBitsOfGigahertz - static_cast<int>(std::bit_width(hertz)), 0, 10);
}

#if defined(__x86_64__)
/// Time stamp counter: 2 to 4 per nanosecond.
inline int64_t ticks() { return static_cast<int64_t>(__builtin_ia32_rdtsc()); }
/// As `ticks`, but not before everything above it is done.
inline int64_t ticks_afterwards() {
  __builtin_ia32_lfence();
  return ticks();
}
inline constexpr int64_t kTicksOfHandOver = 1000;
inline constexpr int64_t kTicksOfMicrosecond = 2500; ///< about
#elif defined(__aarch64__)
/// Virtual counter: 1 GHz from Armv8.6 on, before that 1 to 100 MHz; here 0.5 to 1.1 GHz.
inline int64_t ticks() {
  uint64_t value, hertz;
  asm volatile("mrs %0, cntvct_el0" : "=r"(value));
  asm("mrs %0, cntfrq_el0" : "=r"(hertz)); // a constant
  return static_cast<int64_t>(value << shift_to_nanoseconds(static_cast<uint32_t>(hertz)));
}
inline int64_t ticks_afterwards() {
  asm volatile("isb" ::: "memory");
  return ticks();
}
inline constexpr int64_t kTicksOfHandOver = 300;
inline constexpr int64_t kTicksOfMicrosecond = 750; ///< about
#elif defined(__powerpc64__)
/// Time base: 512 MHz on all POWER servers.
inline int64_t ticks() { return static_cast<int64_t>(__builtin_ppc_get_timebase()); }
inline int64_t ticks_afterwards() {
  asm volatile("isync" ::: "memory");
  return ticks();
}
inline constexpr int64_t kTicksOfHandOver = 200;
inline constexpr int64_t kTicksOfMicrosecond = 512;
#endif

} // namespace xomp::sys
