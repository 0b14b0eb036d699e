// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entry points of tasks, taskwait, taskyield, taskgroup and events.
#include "abi/export.h"
#include "abi/gnu/depend.h"
#include "abi/omp/versions.h"
#include "task/box.h"
#include "task/create.h"
#include "task/group.h"
#include "task/run.h"
#include "task/taskwait.h"
#include "team/team.h"
#include "team/thread.h"

using namespace xomp;
using xomp::gnu::with_depend_array;

namespace {

#if defined(__x86_64__)
/// The arguments that the x86-64 calling convention passes in memory, as one object that lies just
/// there: the compiler then reads what it needs instead of loading all four at the entry point's
/// entry.
struct StackArguments {
  alignas(8) unsigned flags;
  alignas(8) void** depend;
  alignas(8) int priority;
  alignas(8) void* detach;
};
static_assert(sizeof(StackArguments) == 32);
#define XOMP_TASK_TAIL StackArguments tail
#define XOMP_PASS_TAIL tail
#else
#define XOMP_TASK_TAIL unsigned flags, void **depend, int priority, void *detach
#define XOMP_PASS_TAIL flags, depend, priority, detach
#endif

// A priority orders the tasks that wait; one that is run at once does not.
constexpr unsigned kIgnored = kTaskUntied | kTaskMergeable | kTaskPriority;

/// Whether a task without flags that matter is run here and now because the program says so: by its
/// `if` clause, or as part of a final task.
bool is_undeferred(const Worker& worker, bool if_clause) {
  // Always open: also a thread that is not registered yet, which has no environment.
  return !worker.creates_slowly && (!if_clause || (worker.env->flags & kEnvFinal)) &&
         worker.env->child_domain < 0;
}

/// Apart, for the list on the stack.
[[gnu::noinline]] void dependent_task(TaskSpec& spec, void** depend) {
  with_depend_array(depend, [&](const DependList& list) {
    spec.depend = list;
    create_task(me(), spec);
  });
}

[[gnu::noinline]] void task_slowly(void (*body)(void*), void* data, void (*copy)(void*, void*),
                                   long size, long align, bool if_clause, XOMP_TASK_TAIL) {
#if defined(__x86_64__)
  auto& [flags, depend, priority, detach] = tail;
  auto construct_stack = reinterpret_cast<uintptr_t>(&tail);
#else
  // The entry point jumps here: this frame begins where the entry point's did.
  auto construct_stack = reinterpret_cast<uintptr_t>(__builtin_dwarf_cfa());
#endif
  if (flags & kTaskDetach)
    flags |= kTaskEventAwaited; // as on libgomp
  TaskSpec spec{body,
                data,
                copy,
                static_cast<std::size_t>(size),
                static_cast<std::size_t>(align),
                if_clause,
                flags,
                {},
                priority,
                detach,
                construct_stack,
                __builtin_return_address(0),
                nullptr};
  if (flags & kTaskDepend)
    return dependent_task(spec, depend);
  create_task(me(), spec);
}

// A task without flags that matter or a copy function. Apart from both: what it keeps in registers
// costs neither the fast path nor the other tasks anything.
[[gnu::noinline, gnu::noclone]] void plain_task(void (*body)(void*), void* data,
                                                void (*copy)(void*, void*), long size, long align,
                                                bool if_clause, XOMP_TASK_TAIL) {
  Worker& worker = *self;
  bool full = known_full(worker) &&
              fits_in_slot(static_cast<std::size_t>(size), static_cast<std::size_t>(align));
  if (full || is_undeferred(worker, if_clause) || refused(worker))
    return run_at_once(worker, body, data);
  return task_slowly(body, data, copy, size, align, if_clause, XOMP_PASS_TAIL);
}

// One with a copy function and no flags that matter.
[[gnu::noinline]] void copied_task(void (*body)(void*), void* data, void (*copy)(void*, void*),
                                   long size, long align, bool if_clause, XOMP_TASK_TAIL) {
  Worker& worker = *self;
  auto bytes = static_cast<std::size_t>(size), alignment = static_cast<std::size_t>(align);
  bool full = known_full(worker) && fits_in_box(bytes, alignment);
  if (full || is_undeferred(worker, if_clause))
    return run_copied_at_once(worker, body, data, copy, bytes, alignment);
  return task_slowly(body, data, copy, size, align, if_clause, XOMP_PASS_TAIL);
}

[[gnu::noinline]] void other_task(void (*body)(void*), void* data, void (*copy)(void*, void*),
                                  long size, long align, bool if_clause, XOMP_TASK_TAIL) {
#if defined(__x86_64__)
  auto& flags = tail.flags;
#endif
  if ((flags & ~kIgnored) == 0)
    return copied_task(body, data, copy, size, align, if_clause, XOMP_PASS_TAIL);
  return task_slowly(body, data, copy, size, align, if_clause, XOMP_PASS_TAIL);
}

[[gnu::noinline]] void yield_slowly() { yield_to_any(me()); }

// Apart, so that a taskwait without children saves no registers.
[[gnu::noinline, gnu::noclone, gnu::aligned(64)]] void wait_running(Worker& worker, Slot* slot,
                                                                    Slot* current) {
  run_children(worker, slot, current);
}

} // namespace

XOMP_EXPORT void GOMP_task(void (*body)(void*), void* data, void (*copy)(void*, void*), long size,
                           long align, bool if_clause, XOMP_TASK_TAIL) {
#if defined(__x86_64__)
  auto& flags = tail.flags;
#endif
  Worker& worker = *self;
  if (((flags & ~kIgnored) | reinterpret_cast<uintptr_t>(copy)) == 0) [[likely]] {
    if (if_clause && push_task(worker, body, data, static_cast<std::size_t>(size),
                               static_cast<std::size_t>(align))) [[likely]]
      return;
    return plain_task(body, data, copy, size, align, if_clause, XOMP_PASS_TAIL);
  }
  return other_task(body, data, copy, size, align, if_clause, XOMP_PASS_TAIL);
}

XOMP_EXPORT void GOMP_taskwait() { taskwait(*self, wait_running); }

XOMP_EXPORT void GOMP_taskwait_depend(void** depend) {
  const void* codeptr = __builtin_return_address(0);
  with_depend_array(depend, [&](const DependList& list) { taskwait_depend(me(), list, codeptr); });
}

XOMP_EXPORT void GOMP_taskwait_depend_nowait(void** depend) {
  const void* codeptr = __builtin_return_address(0);
  with_depend_array(depend, [&](const DependList& list) { create_empty(me(), list, codeptr); });
}

XOMP_EXPORT void GOMP_taskyield() {
  if (!yields_idly(*self)) [[unlikely]]
    yield_slowly();
}

XOMP_EXPORT void GOMP_taskgroup_start() { taskgroup_start(me()); }

XOMP_EXPORT void GOMP_taskgroup_end() { taskgroup_end(me(), __builtin_return_address(0)); }

XOMP_ALSO_VERSION(GOMP_2.0, GOMP_task, GOMP_taskwait);
XOMP_ALSO_VERSION(GOMP_3.0, GOMP_taskyield);
XOMP_ALSO_VERSION(GOMP_4.0, GOMP_taskgroup_end, GOMP_taskgroup_start);
XOMP_ALSO_VERSION(GOMP_5.0, GOMP_taskwait_depend);
