// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "task/create_deferred.h"

#include <algorithm>

#include "sys/assert.h"
#include "task/at_once.h"
#include "task/children.h"
#include "task/environment.h"
#include "task/event.h"
#include "task/frame.h"
#include "task/full_frame.h"
#include "task/group.h"
#include "task/overflow.h"
#include "task/placement.h"
#include "task/run.h"
#include "task/taskwait.h"
#include "task/trace_creation.h"
#include "task/wakeup.h"

namespace xomp {
namespace {

/// What it inherits, and where it is counted.
[[gnu::always_inline]] inline void count_in(Worker& worker, DeferredTask& task, const Env& env) {
  inherit_env(task.own_env, env);
  make_busy(worker);
  worker.task_team->expect_tasks();
  if (task.own_env.group)
    enter_group(worker, *task.own_env.group);
  // Relaxed: the creator is counted itself, so the count cannot reach 0 before.
  if (settings.has_central_barrier())
    worker.task_team->outstanding.fetch_add(1, std::memory_order_relaxed);
}

/// Before the first task with a priority: what lies on the stack is older than that. Other workers
/// may have some to run off yet.
[[gnu::cold]] void begin_priorities(Worker& worker) {
  worker.task_team->has_priorities.store(true, std::memory_order_relaxed);
  if (has_own(worker))
    move_to_heap(worker);
}

} // namespace

void fill(Worker& worker, DeferredTask& task, const TaskSpec& spec) {
  ++worker.counters.created;
  note_creation(worker);
  if (task.traced) [[unlikely]]
    trace_created(worker, task, spec);
  task.body = spec.body;
  task.placement = static_cast<int16_t>(worker.placement);
  count_in(worker, task, *worker.env);
  if (spec.flags & kTaskFinal)
    task.own_env.flags |= kEnvFinal;
  if (is_urgent(spec)) {
    if (!worker.task_team->has_priorities.load(std::memory_order_relaxed))
      begin_priorities(worker);
    worker.placement = task.placement; // as it was
    task.priority = std::min(spec.priority, settings.max_task_priority);
    task.parent->has_priorities = true;
  }
  if (spec.flags & kTaskDetach) {
    task.unfinished.store(2, std::memory_order_relaxed);
    // Before the argument block is copied: the handle is one of the variables in it, and the
    // compiler may have read it already. In the block it comes first (GNU ABI).
    auto* variable = static_cast<EventHandle*>(spec.detach);
    if (spec.flags & kTaskEventOpen) {
      bind_event(*variable, task);
    } else {
      EventHandle handle = create_event(task);
      *variable = handle;
      if (spec.size)
        *static_cast<EventHandle*>(spec.data) = handle;
    }
  }
  if (spec.copy)
    task.when_discarded = WhenDiscarded::kRun;
  else if (spec.flags & kTaskDiscards)
    task.when_discarded = WhenDiscarded::kTell;
  make_arguments(task.payload, spec);
}

namespace {

/// Runs a child at once that was never offered to others.
void run_unseen(Worker& worker, DeferredTask& task) {
  XOMP_ASSERT(task.may_be(kRunning));
  task.state.store(kRunning, std::memory_order_relaxed);
  launch_untold(worker, task);
}

} // namespace

void run_undeferred(Worker& worker, DeferredTask& task, const TaskSpec& spec) {
  if (!(spec.flags & kTaskEventAwaited))
    return run_unseen(worker, task);
  ++task.table_refs; // kept until its creator has seen that it is over
  run_unseen(worker, task);
  wait_for_event(worker, task);
  --task.table_refs;
}

bool leave_for_later(const Worker& worker, AtOnce why) {
  if (why == AtOnce::kNot || why == AtOnce::kSaid)
    return false;
  // The end of an initial team's implicit task may never come.
  return deep(worker) && in_explicit_task(worker);
}

namespace {

/// To the overflow list.
void post_ready(Worker& worker, DeferredTask& task) {
  XOMP_ASSERT(task.may_be(kReady | kInQueue));
  // Release publishes the task to whoever claims it.
  task.state.store(kReady | kInQueue, std::memory_order_release);
  post(*worker.task_team, task);
  wake_for(worker, worker, *task.parent);
}

/// A ready child that no queue takes. Its parent's worker comes to it at the parent's end, but
/// where everybody finds everything: there only if too many bytes wait, as the tasks that end first
/// would leave any number.
void leave(Worker& worker, DeferredTask& task, AtOnce why) {
  constexpr uint32_t kMostLeft = 32; // bounded memory: then they are run here, one level deeper
  FullFrame& parent = *task.parent;
  ++worker.counters.deferred;
  if (all_is_found(worker) && why != AtOnce::kBytes) {
    post_ready(worker, task);
  } else {
    task.state.store(kReady, std::memory_order_relaxed); // waiting until now, as `offer` asserts
    parent.left_ready = true;
  }
  if (parent.live < kMostLeft)
    return;
  while (DeferredTask* child = claim_child(worker, parent, UINT32_MAX))
    launch(worker, *child);
}

} // namespace

void offer(Worker& worker, DeferredTask& task, AtOnce why) {
  XOMP_ASSERT(task.may_be(kReady | kInQueue) && task.parent->owner == &worker);
  FullFrame& parent = *task.parent;
  if (why != AtOnce::kNot) {
    task.placement = -1; // here after all
    add_ready(parent, task);
    trace_deferred(worker, task);
    if (leave_for_later(worker, why))
      return leave(worker, task, why);
    return run_unseen(worker, task);
  }
  if (worker.count == 1) {
    // Relaxed: nobody else looks at it.
    task.state.store(kReady, std::memory_order_relaxed);
    add_ready(parent, task);
    ++worker.counters.deferred;
    return trace_deferred(worker, task);
  }
  // What waits on the stack is older. Whoever is idle looks there after the queues, and the task
  // may wait for one of these.
  if (has_own(worker)) {
    move_to_heap(worker);
    worker.placement = task.placement; // as it was
  }
  // Release publishes the task to whoever claims it.
  task.state.store(kReady | kInQueue, std::memory_order_release);
  int target = put(worker, task, false);
  if (target == kNoRoom || target == worker.id)
    add_ready(parent, task);
  else
    add_away(parent, task);
  trace_deferred(worker, task);
  if (target != kNoRoom) {
    ++worker.counters.deferred;
    if (worker.policy->shared)
      wake_for(worker, peer_of(worker, target), parent);
    return;
  }
  XOMP_ASSERT(task.names(kInQueue));
  ++worker.counters.deferred;
  // There was room, and what came from the stack has taken it. To be deferred it was promised.
  if (all_is_found(worker)) {
    post(*worker.task_team, task);
    return wake_for(worker, worker, parent);
  }
  task.state.fetch_and(~uint32_t{kInQueue}, std::memory_order_relaxed);
  if (try_claim(task, 0)) // it was offered, and is taken back
    launch_untold(worker, task);
}

void offer_moved(Worker& worker, DeferredTask& task, bool ready) {
  FullFrame& parent = *task.parent;
  XOMP_ASSERT(task.may_be(kReady | kInQueue) && parent.owner == &worker);
  worker.placement = -1;
  count_in(worker, task, *worker.env);
  if (!ready)
    return add_waiting(parent, task);
  if (worker.count == 1) {
    task.state.store(kReady, std::memory_order_relaxed);
    return add_ready(parent, task);
  }
  // Release publishes the task to whoever claims it.
  task.state.store(kReady | kInQueue, std::memory_order_release);
  add_ready(parent, task);
  // It was deferred before, so it must not be run here: what no queue takes goes to the overflow
  // list.
  if (put(worker, task, false) == kNoRoom)
    post(*worker.task_team, task);
  wake_for(worker, worker, parent);
}

void create_deferred(Worker& worker, const TaskSpec& spec, bool deferrable) {
  choose_domain(worker, deferrable);
  AtOnce why = why_at_once(worker, spec, deferrable);
  bool stays = why == AtOnce::kNot || leave_for_later(worker, why);
  if (!stays && !(spec.flags & kTaskDetach))
    return run_now(worker, spec, why);
  FullFrame& parent = own_full_frame(worker);
  DeferredTask& task = new_child(worker, parent, spec.size, spec.align);
  fill(worker, task, spec);
  if (deferrable)
    return offer(worker, task, why);
  add_ready(parent, task);
  run_undeferred(worker, task, spec);
}

} // namespace xomp
