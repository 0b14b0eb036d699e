// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the calling thread computes with floating-point numbers: rounding, which exceptions trap,
// what becomes of denormal numbers. Where we do not know how to ask, all threads look alike.
#pragma once
#include <cstdint>

namespace xomp::sys {

#if defined(__x86_64__)
/// The part of it by which modes are told apart: MXCSR without what has happened so far.
inline uint32_t float_mode_key() { return __builtin_ia32_stmxcsr() & 0xffc0; }
/// All of it: the control word of the old unit in the upper half.
inline uint32_t float_mode() {
  uint16_t control;
  asm volatile("fnstcw %0" : "=m"(control));
  return float_mode_key() | uint32_t{control} << 16;
}
inline void set_float_mode(uint32_t mode) {
  auto control = static_cast<uint16_t>(mode >> 16);
  asm volatile("fldcw %0" : : "m"(control));
  uint32_t events = __builtin_ia32_stmxcsr() & 0x3f;
  __builtin_ia32_ldmxcsr((mode & 0xffc0) | events);
}
#elif defined(__aarch64__)
inline uint32_t float_mode() {
  uint64_t control;
  asm volatile("mrs %0, fpcr" : "=r"(control));
  return static_cast<uint32_t>(control);
}
inline uint32_t float_mode_key() { return float_mode(); }
inline void set_float_mode(uint32_t mode) { asm volatile("msr fpcr, %0" : : "r"(uint64_t{mode})); }
#else
inline uint32_t float_mode() { return 0; }
inline uint32_t float_mode_key() { return 0; }
inline void set_float_mode(uint32_t) {}
#endif

} // namespace xomp::sys
