// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much of its stack a thread has used: tasks that run at once, one inside another, must not
// exhaust it.
#pragma once
#include <atomic>
#include <cstdint>

namespace xomp::sys {

[[gnu::always_inline]] inline uintptr_t stack_pointer() {
  uintptr_t value;
#if defined(__x86_64__)
  asm("mov %%rsp, %0" : "=r"(value));
#elif defined(__aarch64__)
  asm("mov %0, sp" : "=r"(value));
#elif defined(__powerpc64__)
  asm("mr %0, 1" : "=r"(value));
#endif
  return value;
}

/// Whether the stack pointer is at `limit` or above. The sanitizer has to see the load; otherwise
/// one comparison takes both sides where they are, which the compiler would copy to registers.
[[gnu::always_inline]] inline bool stack_reaches(const std::atomic<uintptr_t>& limit) {
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
  bool reaches;
  asm volatile("cmp %1, %%rsp" : "=@ccae"(reaches) : "m"(limit));
  return reaches;
#elif defined(__aarch64__)
  bool reaches;
  asm volatile("cmp sp, %1" : "=@cchs"(reaches) : "r"(limit.load(std::memory_order_relaxed)));
  return reaches;
#else
  return stack_pointer() >= limit.load(std::memory_order_relaxed);
#endif
}

/// The address below which the calling thread uses the second half of its stack; 0 when that is not
/// known.
uintptr_t middle_of_stack();
/// RLIMIT_STACK says so (`ulimit -s unlimited`).
bool stacks_are_unlimited();

} // namespace xomp::sys
