// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A task is over: which worker may start what has waited for it, and which is told. And events,
// which finish tasks from outside.
#include <cinttypes>

#include "conf/settings.h"
#include "events/events.h"
#include "sys/delay.h"
#include "sys/report.h"
#include "sys/short_wait.h"
#include "task/depend.h"
#include "task/environment.h"
#include "task/group.h"
#include "task/overflow.h"
#include "task/placement.h"
#include "task/run.h"
#include "task/wakeup.h"

namespace xomp {
namespace {

/// `task` has become ready on `worker`, which answers for it from now on. The parent may sleep in a
/// taskwait; it could run the task as well.
void add_ready_successor(Worker& worker, DeferredTask& task) {
  task.next_ready = worker.ready_successors;
  worker.ready_successors = &task;
  Worker* owner = task.parent->owner;
  if (owner != &worker)
    owner->bell.ring();
}

/// A ready successor that the worker comes to next itself: no need to show it to others.
void keep_successor(Worker& worker, DeferredTask& task) {
  XOMP_ASSERT(task.may_be(kReady | kInReadyList));
  // Release publishes the task to whoever claims it.
  task.state.store(kReady | kInReadyList, std::memory_order_release);
  add_ready_successor(worker, task);
}

/// Puts a ready task where others come for it. Once it is ready its parent's worker may claim it,
/// so there is no way back: what no queue has room for goes to the overflow list.
void offer_shown(Worker& worker, DeferredTask& task) {
  // Not into its own queue, where that is seen by nobody else.
  int target = put(worker, task, true);
  if (target == kNoRoom) {
    post(*worker.task_team, task);
    return wake_any(worker, WakeReason::of(&task));
  }
  ++worker.counters.deferred;
  if (worker.policy->shared)
    wake_any(peer_of(worker, target), WakeReason::of(&task));
}

/// A task that others come for, and the worker itself later if it is in its list, too (`listed`:
/// kInReadyList).
void show(Worker& worker, DeferredTask& task, uint32_t listed = 0) {
  XOMP_ASSERT(task.may_be(kReady | kInQueue | listed));
  // Release as above. The queue entry is counted before a queue holds it.
  task.state.store(kReady | kInQueue | listed, std::memory_order_release);
  if (listed)
    add_ready_successor(worker, task);
  offer_shown(worker, task);
}

/// Puts a task that is for the workers of another domain into their queue.
bool hand_over(Worker& worker, DeferredTask& task) {
  int domain = other_domain_of(worker, task);
  if (domain < 0)
    return false;
  worker.placement = worker.policy->place(worker, domain);
  show(worker, task);
  return true;
}

/// Whether a task that the worker could start next queues behind those that were ready before it.
/// Directly after its predecessor it finds its data in the cache, but of chains of different
/// lengths the first would be worked off before the last is begun: large tasks wait their turn.
bool in_turn(const Worker& worker, const DeferredTask& task) {
  return all_is_found(worker) && offers_large(*task.parent->owner);
}

/// Everything that `task`, run by `worker`, was the last predecessor of.
void release_to(Worker& worker, DeferredTask& task) {
  DeferredTask* own = nullptr;
  release_successors(task, [&](DeferredTask& successor) {
    if (hand_over(worker, successor))
      return;
    if (own && worker.count == 1) {
      keep_successor(worker, *own);
    } else if (own) {
      worker.placement = own->placement;
      show(worker, *own, kInReadyList);
    }
    own = &successor;
  });
  if (own && in_turn(worker, *own))
    show(worker, *own);
  else if (own)
    keep_successor(worker, *own); // last, so it is the first in the list
}

/// Makes ready what waited for a task that its event has finished. The caller is perhaps no member
/// of the team, and if it is, the successors need not descend from what it is in the middle of: any
/// worker that may start them comes for them.
void release_to_all(TaskTeam& team, const Worker& owner, DeferredTask& task) {
  release_successors(task, [&](DeferredTask& successor) {
    XOMP_ASSERT(successor.may_be(kReady | kInQueue));
    // Release as above.
    successor.state.store(kReady | kInQueue, std::memory_order_release);
    post(team, successor);
    wake_any(owner, WakeReason::of(&successor));
  });
}

} // namespace

void show_successors(Worker& worker) {
  while (DeferredTask* task = worker.ready_successors) {
    worker.ready_successors = task->next_ready;
    // Acquire, release: the pointer changes its place, as in `judge` and `show`.
    uint32_t before = kReady | kInReadyList;
    if (!task->state.compare_exchange_strong(before, kReady | kInQueue, std::memory_order_acq_rel,
                                             std::memory_order_relaxed)) {
      give_up(*task, kInReadyList); // shown before, or somebody was faster
      continue;
    }
    worker.placement = task->placement;
    offer_shown(worker, *task);
  }
}

void forget_successors(Worker& worker, const FullFrame& full_frame) {
  DeferredTask** link = &worker.ready_successors;
  while (DeferredTask* task = *link) {
    if (task->parent != &full_frame) {
      link = &task->next_ready;
      continue;
    }
    *link = task->next_ready;
    give_up(*task, kInReadyList);
  }
}

void complete(Worker* worker, DeferredTask& task) {
  Worker& owner = *task.parent->owner;
  TaskTeam& team = *owner.task_team;
  Taskgroup* group = task.own_env.group;
  XOMP_ASSERT(task.phase(std::memory_order_relaxed) == kRunning);
  XOMP_ASSERT(!task.detachable() || task.unfinished.load(std::memory_order_relaxed) == 0);
  XOMP_ASSERT(!settings.has_central_barrier() ||
              team.outstanding.load(std::memory_order_relaxed) > 0);
  release_env(task.own_env);

  if (worker)
    release_to(*worker, task);
  else
    release_to_all(team, owner, task);
  // Release: the owner, and whoever waits, sees the task's effects. The task may be freed from here
  // on.
  sys::delay();
  task.state.fetch_or(kDone, std::memory_order_release);
  sys::delay();
  if (&owner != worker)
    owner.bell.ring();
  if (group)
    leave_group(worker, *group);
  if (settings.has_central_barrier() &&
      team.outstanding.fetch_sub(1, std::memory_order_acq_rel) == 1)
    central_drained(team);
}

namespace {

/// Nothing to fulfill. A task that is discarded before it has an event has given out kNoEvent.
void expect_stale(EventHandle event) {
  if ((event != kNoEvent || !settings.cancellation) && !was_event(event))
    sys::fatal("omp_fulfill_event: no task has had the event %#" PRIxPTR, event);
}

} // namespace

void fulfill(EventHandle event) {
  DeferredTask* taken = take_event(event);
  if (!taken)
    return expect_stale(event);
  DeferredTask& task = *taken;
  TaskTeam& team = *task.parent->owner->task_team;
  // The team outlives this call: the task is unfinished until here, and from here on we are
  // counted.
  team.visitors.fetch_add(1, std::memory_order_relaxed);
  bool adopts = false;
  if (task.traced && trace::listening(trace::kTool))
    trace::tool_task_fulfilled(trace_of(task).tool);
  XOMP_ASSERT(task.unfinished.load(std::memory_order_relaxed) > 0);
  if (task.unfinished.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    complete(nullptr, task);
    // Release: a thread that reads the new number finds what the event made ready. The fence orders
    // it before the look at whether the team is abandoned: either we see that, or whoever abandons
    // it sees this.
    team.fulfilled.fetch_add(1, std::memory_order_release);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    adopts = take_over(team);
  }
  XOMP_ASSERT(team.visitors.load(std::memory_order_relaxed) > 0);
  // Release: whoever frees the team sees that we are done with it.
  team.visitors.fetch_sub(1, std::memory_order_release);
  if (adopts)
    adopt_team(team);
}

bool take_over(TaskTeam& team) {
  bool abandoned = true;
  // Acquire: what the last one did for the team.
  return team.abandoned.load(std::memory_order_relaxed) &&
         team.abandoned.compare_exchange_strong(abandoned, false, std::memory_order_acquire,
                                                std::memory_order_relaxed);
}

void see_off_visitors(TaskTeam& team) {
  for (sys::ShortWait wait; team.visitors.load(std::memory_order_acquire) != 0;)
    wait.once();
}

} // namespace xomp
