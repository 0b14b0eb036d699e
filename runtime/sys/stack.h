// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much of its stack a thread has used: tasks that run at once, one inside another, must not
// exhaust it.
#pragma once
#include <cstdint>

namespace xomp::sys {

[[gnu::always_inline]] inline uintptr_t stack_pointer() {
#if defined(__x86_64__)
  uintptr_t value;
  asm("mov %%rsp, %0" : "=r"(value));
  return value;
#else
  return reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
#endif
}

/// The address below which the calling thread uses the second half of its stack; 0 when that is not
/// known.
uintptr_t middle_of_stack();

} // namespace xomp::sys
