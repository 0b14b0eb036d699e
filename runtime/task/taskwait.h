// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waiting for tasks: taskwait, with and without depend, taskyield. All are task scheduling points.
#pragma once
#include "sys/recomputed.h"
#include "task/depend_list.h"
#include "task/frame.h"
#include "trace/stream.h"

namespace xomp {

/// taskwait where there is more to do than to run what lies on the worker's stack. `codeptr`: of
/// the taskwait in the program.
void wait_for_children(Worker& worker, const void* codeptr);
/// taskwait of a task with more than a few children on the stack.
void wait_for_many(Worker& worker, const void* codeptr);

/// What taskwait calls; an interface may have more to do after the functions above.
struct PlainWaits {
  static constexpr auto kBody = call_body;
  template <auto wait> static constexpr auto kCalled = wait;
};

/// taskwait of a task whose children lie on its worker's stack, the newest in `slot`. Those that
/// all lie on the private end are run here: in the order of their creation, but the newest first
/// where they are so few that it would gain less than it costs.
/// Inline, so that the return address is the program's; only the rare ways ask for it.
template <class Waits = PlainWaits>
[[gnu::always_inline]] inline void run_children(Worker& worker, Slot* slot, Slot* current) {
  if (slot > current + kFewChildren) [[unlikely]]
    return Waits::template kCalled<wait_for_many>(worker, __builtin_return_address(0));
  do {
    if (!worker.stack.claim(slot)) [[unlikely]]
      return Waits::template kCalled<wait_for_children>(worker, __builtin_return_address(0));
    slot = run_slot<Waits::kBody>(worker, slot, current);
  } while (slot != current);
  if (current->link.load(std::memory_order_relaxed) != 0) [[unlikely]]
    Waits::template kCalled<wait_for_children>(worker, __builtin_return_address(0));
}

/// taskwait. Nothing but loads and branches for a task without children, for which the code is laid
/// out: the others gain by `run`, which is as `run_children`, more than a jump costs. `known`: see
/// trace::NothingKnown; where somebody listens no children lie on the stack.
template <class Waits = PlainWaits, class Run, class Known = trace::NothingKnown>
[[gnu::always_inline]] inline void taskwait(Worker& worker, Run run, Known known = {}) {
  Slot* current = worker.stack.current;
  if (Slot* slot = worker.stack.top(); slot != current) [[unlikely]]
    return run(sys::recomputed(worker), slot, current);
  if (current->link.load(std::memory_order_relaxed) != 0) [[unlikely]] {
    const void* codeptr = __builtin_return_address(0);
    if (worker.track) [[unlikely]]
      known.template call<Waits::template kCalled<wait_for_children>>(codeptr, worker, codeptr);
    else
      Waits::template kCalled<wait_for_children>(worker, codeptr);
  }
}

/// taskwait with depend clauses.
void taskwait_depend(Worker& worker, const DependList& depend, const void* codeptr);

/// Waits for the siblings that a task with these accesses, a child of the current task's
/// `full_frame`, has to come after; `alone` as in `for_each_predecessor`.
void wait_for_predecessors(Worker& worker, FullFrame& full_frame, const DependList& list,
                           bool alone);
/// Waits until `task`, a child of the current one that has run and is kept, is over.
void wait_for_event(Worker& worker, const DeferredTask& task);
/// Waits until `task`, a child of the current one that is not deferred, has all of its items
/// (task/exclusion.h).
void wait_for_admission(Worker& worker, const DeferredTask& task);

/// Waits until at most so many children of the current task's `full_frame` wait for predecessors,
/// and helps meanwhile. False: for some milliseconds nothing moved, and perhaps never will before
/// this worker goes on.
bool wait_for_fewer(Worker& worker, FullFrame& full_frame, uint32_t most);

/// taskyield. Starts a task that the current one may start here, or shows to others what lies in
/// the worker's queues.
void yield_to_any(Worker& worker);

/// Whether a taskyield is one of those that do not look for anything: it does so once in a few
/// dozen calls, which take a tenth of a microsecond, or never where there is nothing to be found. A
/// stranger's always does.
[[gnu::always_inline]] inline bool yields_idly(Worker& worker) {
  if (worker.idle_yields < 0) [[likely]]
    return childless(worker);
  if (worker.idle_yields == 0)
    return false;
  --worker.idle_yields;
  return true;
}

} // namespace xomp
