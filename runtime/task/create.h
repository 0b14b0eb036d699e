// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Task creation. The fast path, inline: a task whose target queue is full is run here and now
// (paper 1, section II.B; shared reasoning in task/README.md).
#pragma once
#include "sys/stack.h"
#include "task/worker.h"

namespace xomp {

/// `flags` of GOMP_task and GOMP_taskloop (GNU ABI).
enum TaskFlag : unsigned {
  kTaskUntied = 1u << 0,
  kTaskFinal = 1u << 1,
  kTaskMergeable = 1u << 2,
  kTaskDepend = 1u << 3,
  kTaskPriority = 1u << 4,
  kTaskUp = 1u << 8,
  kTaskGrainsize = 1u << 9,
  kTaskIf = 1u << 10,
  kTaskNogroup = 1u << 11,
  kTaskReduction = 1u << 12,
  kTaskDetach = 1u << 13,
  kTaskStrict = 1u << 14,
};

struct TaskSpec {
  void (*body)(void*);
  void* data;
  void (*copy)(
      void*,
      void*); ///< constructs the argument block at its first argument from its second; or null
  std::size_t size, align; ///< of the argument block
  bool deferrable;         ///< the `if` clause
  unsigned flags;
  void** depend;
  int priority;
  void* detach;      ///< omp_event_handle_t* to fill
  uintptr_t stack;   ///< of the construct, no lower than where the fast path looked
  const void* place; ///< in the program: the return address
};

/// Any task, any flag. `worker` is the calling thread's.
void create_task(Worker& worker, const TaskSpec& spec);

/// After the body of a task that ran at once and has a family (`above` is -1): its unstarted
/// children are run, the family is retired.
void end_immediate(Worker& worker);

/// Whether the policy would refuse a task now and there is stack left to run it at once.
[[gnu::always_inline]] inline bool refused(const Worker& worker) {
  // Relaxed: a hint; who goes through the gate looks at the queue itself.
  return sys::stack_reaches(worker.gate);
}

/// The same for a worker whose tasks would be accepted, but are too small to be offered
/// (sched/window.h).
[[gnu::always_inline]] inline bool not_worth_offering(Worker& worker, void (*body)(void*)) {
  auto address = reinterpret_cast<uintptr_t>(body);
  return height(worker, sys::stack_pointer()) < worker.shortcut.load(std::memory_order_relaxed) &&
         small_body_slot(worker, address).load(std::memory_order_relaxed) == address &&
         --worker.rations.left >= 0;
}

/// Whether so much of the stack is in use that no more tasks should be run on top of it: a chain of
/// tasks, each creating the next, would exhaust it.
inline bool deep(const Worker& worker) { return sys::stack_pointer() < worker.stack_limit; }

/// Runs a task at once, in its creator's stack frame.
[[gnu::always_inline]] inline void run_at_once(Worker& worker, void (*body)(void*), void* data) {
  ++worker.above;
  body(data);
  if (--worker.above < 0) [[unlikely]]
    end_immediate(worker);
}

/// The same for a task whose argument block the program copies: the copy lives on this stack.
void run_copied_at_once(Worker& worker, void (*body)(void*), void* data, void (*copy)(void*, void*),
                        std::size_t size, std::size_t align);

} // namespace xomp
