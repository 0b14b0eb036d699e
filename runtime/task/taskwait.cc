// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "task/taskwait.h"

#include "events/events.h"
#include "sys/clock.h"
#include "sys/cpu.h"
#include "sys/memory.h"
#include "task/activity.h"
#include "task/children.h"
#include "task/create.h"
#include "task/depend.h"
#include "task/in_order.h"
#include "task/wait_loop.h"

namespace xomp {

namespace {

/// The children have left so many tasks behind that the worker's queue is nearly full: some of
/// these are run, so that what the task creates next is deferred, which it may do while it holds
/// what the new ones want. On both peers there is room after a taskwait: libgomp counts a running
/// child among those that wait, and libomp runs in a taskwait what children leave behind.
[[gnu::noinline]] void run_some_left(Worker& worker, FullFrame& full_frame) {
  constexpr int64_t kAtATime = 64; // a look at how many there are costs as much as some tasks
  Search search{.scope = Scope::of(&full_frame), .thorough = true};
  for (int64_t most = most_waiting(worker); most > 0 && !deep(worker); most -= kAtATime) {
    for (int64_t i = 0; i < kAtATime; ++i) {
      Found found = find(worker, search);
      if (!found)
        return;
      run(worker, found);
    }
    if (!worker.policy->is_crowded(worker))
      return;
  }
}

/// Of the children that this worker could simply run none is left. Apart: tasks wait in tasks, on
/// as little of the thread's stack as can be.
[[gnu::noinline]] void wait_for_the_rest(Worker& worker, const void* codeptr) {
  Activity here(worker, ActivityKind::kTaskwait);
  trace::Waiting traced(worker.track, trace::Kind::kTaskwait, codeptr);
  FullFrame* full_frame = nullptr;
  auto done = [&] {
    // A thief may have made it meanwhile.
    if (has_own_children(worker))
      return false;
    full_frame = current_full_frame(worker);
    return !full_frame || drain_children(worker, *full_frame);
  };
  if (!in_a_moment(worker, done))
    wait_in_task(worker, done);
  // Every predecessor in the table is done: forget them, so that their memory is not kept. It is
  // freed when memory is needed: a look now would cost as much as tasks are named by queues.
  if (full_frame && full_frame->depends)
    full_frame->depends->clear();
  if (full_frame && worker.policy->is_crowded && worker.policy->is_crowded(worker))
    run_some_left(worker, *full_frame);
}

} // namespace

void wait_for_children(Worker& worker, const void* codeptr) {
  while (Slot* own = claim_top_child(worker))
    run_own(worker, own);
  // Below what others have left.
  bool on_stack = has_own(worker) && !run_in_order(worker);
  if (on_stack)
    bound_left(worker);
  // Only now: a thief that has stolen one from there has made its full frame.
  if (on_stack || current_full_frame(worker))
    wait_for_the_rest(worker, codeptr);
}

void wait_for_many(Worker& worker, const void* codeptr) {
  bool all = run_in_order(worker);
  // Relaxed: its own full frame, or one that was made for a task taken from here: found under the
  // lock.
  if (!all || worker.stack.current->link.load(std::memory_order_relaxed) != 0)
    wait_for_children(worker, codeptr);
}

namespace {

void wait_for_those(Worker& worker, const DependList& depend, const void* codeptr) {
  leave_order(worker);
  FullFrame* full_frame = current_full_frame(worker);
  if (!full_frame || !full_frame->depends)
    return;
  trace::Waiting traced(worker.track, trace::Kind::kTaskwait, codeptr, 0,
                        trace::kTaskwaitFlagDependences);
  wait_for_predecessors(worker, *full_frame, depend, true);
}

/// A tool is told of a mergeable task that is not deferred and has no body (OpenMP 5.2, 15.5).
[[gnu::noinline]] void wait_for_those_traced(Worker& worker, const DependList& depend,
                                             const trace::CallSite& site) {
  trace::TaskTrace task;
  constexpr auto kFlags = static_cast<int>(ompt_task_taskwait | ompt_task_undeferred |
                                           static_cast<unsigned>(ompt_task_mergeable));
  task.id = worker.track->next_id();
  trace::tool_task_created(*worker.track, task.tool, kFlags, true, site);
  trace_dependences(*worker.track, task, depend);
  wait_for_those(worker, depend, site.code);
  trace::tool_taskwait_ends(task.tool);
}

} // namespace

void taskwait_depend(Worker& worker, const DependList& depend, const void* codeptr) {
  if (worker.track && trace::listening(trace::kTool)) [[unlikely]]
    return wait_for_those_traced(worker, depend, {codeptr, __builtin_dwarf_cfa()});
  wait_for_those(worker, depend, codeptr);
}

void wait_for_predecessors(Worker& worker, FullFrame& full_frame, const DependList& list,
                           bool alone) {
  std::size_t bound = 0;
  for_each_predecessor(full_frame, list, alone, [&](DeferredTask&) { ++bound; });
  if (bound == 0)
    return;
  // The predecessors are kept by their table references while we wait: nobody enters new ones
  // meanwhile, except tasks that run below this wait, and those have full frames of their own.
  auto** tasks = static_cast<DeferredTask**>(sys::allocate(bound * sizeof(DeferredTask*)));
  std::size_t count = 0;
  for_each_predecessor(full_frame, list, alone, [&](DeferredTask& task) {
    if (count < bound)
      tasks[count++] = &task;
  });
  Activity here(worker, ActivityKind::kDependence);
  Wanted wanted{tasks, count};
  wait_for_some(worker, wanted, [&] {
    while (wanted.count && tasks[wanted.count - 1]->phase(std::memory_order_acquire) == kDone)
      --wanted.count;
    // Others begin with the oldest, and only the first are looked at.
    if (wanted.count && tasks[0]->phase(std::memory_order_acquire) == kDone)
      tasks[0] = tasks[--wanted.count];
    return wanted.count == 0 || wanted.over();
  });
  sys::release(tasks);
}

void wait_for_event(Worker& worker, const DeferredTask& task) {
  Activity here(worker, ActivityKind::kDependence);
  trace::Waiting traced(worker.track, trace::Kind::kDependenceWait, nullptr);
  // Acquire: what was done before the event was fulfilled.
  auto done = [&] { return task.phase(std::memory_order_acquire) == kDone; };
  if (all_is_found(worker))
    wait_quietly(worker, done); // as on libgomp
  else
    wait_in_task(worker, done);
}

void wait_for_admission(Worker& worker, const DeferredTask& task) {
  Activity here(worker, ActivityKind::kDependence);
  trace::Waiting traced(worker.track, trace::Kind::kDependenceWait, nullptr);
  // Acquire: what those did that held the items before.
  wait_for_some(worker, Wanted(),
                [&] { return task.exclusion->admitted.load(std::memory_order_acquire); });
}

namespace {

/// Moves what lies in the worker's own queues, where nobody else sees it, to the overflow list.
void show_queued(Worker& worker) {
  Search none;
  none.thorough = true;
  next_task(worker, none);
}

} // namespace

bool wait_for_fewer(Worker& worker, FullFrame& full_frame, uint32_t most) {
  constexpr double kPatience = 0.01, kGrace = 0.0001; // seconds
  constexpr int64_t kNap = 100000;                    // nanoseconds
  const TaskTeam& team = *worker.task_team;
  double begin = sys::seconds(), since = begin;
  // What is ready is for those that are idle, or for whoever has just been woken for it: it may
  // itself wait for this worker.
  auto alone = [&] {
    return worker.count == 1 || (team.idle_workers.load(std::memory_order_relaxed) == 0 &&
                                 sys::seconds() - begin > kGrace);
  };
  while (too_many_wait(worker, full_frame, most + 1)) {
    uint32_t before = full_frame.waiting_count;
    bool ran = false;
    // Each look at all of them is paid for by several that run.
    while (full_frame.waiting_count > most && alone()) {
      DeferredTask* child = claim_child(worker, full_frame, UINT32_MAX);
      if (!child)
        break;
      launch(worker, *child);
      ran = true;
    }
    if (ran) {
      since = sys::seconds();
      continue;
    }
    if (!worker.policy->shared)
      show_queued(worker);
    worker.bell.prepare();
    if (!too_many_wait(worker, full_frame, most + 1)) {
      worker.bell.cancel();
      break;
    }
    worker.bell.sleep_at_most(kNap);
    double now = sys::seconds();
    if (!too_many_wait(worker, full_frame, before))
      since = now;
    else if (now - since > kPatience)
      return false;
  }
  return true;
}

void yield_to_any(Worker& worker) {
  // A task without a full frame has no descendants that could be started here; all that is left to
  // do is to show queued tasks to others, where they do not see them anyway.
  constexpr int32_t kLookEvery = 16, kShowEvery = 64; // taskyields
  FullFrame* full_frame = current_full_frame(worker);
  bool descendants = full_frame || has_own(worker);
  if (!descendants && (worker.count == 1 || worker.policy->shared)) {
    worker.idle_yields = -1;
    return;
  }
  worker.idle_yields = (descendants ? kLookEvery : kShowEvery) - 1;
  // A task that yields inside one that yields, and so on, exhausts the stack.
  if (deep(worker))
    return;
  Search search{.scope = Scope::of(full_frame), .thorough = true};
  Found found = find_wanted(worker, search);
  if (!found)
    found = find(worker, search);
  if (!found)
    return;
  worker.idle_yields = 0; // there may be more
  if (worker.track)
    worker.track->tool.leaves = ompt_task_yield;
  run(worker, found);
}

} // namespace xomp
