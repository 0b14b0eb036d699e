// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program's locks begin and end, which tools are told. Inline, so that the return address is
// the program's.
#pragma once
#include <new>

#include "locks/locks.h"
#include "team/team.h"

namespace xomp {

[[gnu::always_inline]] inline void trace_init(const void* lock, ompt_mutex_t kind, int hint) {
  if (!trace::listening(trace::kTool)) [[likely]]
    return;
  me(); // a tool starts with the first thread that it can be told of
  trace::tool_lock_init(lock, kind, static_cast<unsigned>(hint), __builtin_return_address(0));
}
[[gnu::always_inline]] inline void trace_destroy(const void* lock, ompt_mutex_t kind) {
  if (!trace::listening(trace::kTool)) [[likely]]
    return;
  me();
  trace::tool_lock_destroy(lock, kind, __builtin_return_address(0));
}

[[gnu::always_inline]] inline void init(Mutex* lock, int hint = 0) {
  new (lock) Mutex;
  trace_init(lock, ompt_mutex_lock, hint);
}
[[gnu::always_inline]] inline void destroy(const Mutex* lock) {
  trace_destroy(lock, ompt_mutex_lock);
}
[[gnu::always_inline]] inline void init(NestLock* lock, int hint = 0) {
  new (lock) NestLock;
  trace_init(lock, ompt_mutex_nest_lock, hint);
}
[[gnu::always_inline]] inline void destroy(const NestLock* lock) {
  trace_destroy(lock, ompt_mutex_nest_lock);
}
[[gnu::always_inline]] inline void init(ThreadNestLock* lock, int hint = 0) {
  init(lock->make(), hint);
}
[[gnu::always_inline]] inline void destroy(ThreadNestLock* lock) {
  destroy(lock->get());
  lock->end();
}

} // namespace xomp
