// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "task/run.h"
#include "sys/delay.h"

#include <sched.h>

#include <utility>

#include "task/depend.h"
#include "task/environment.h"
#include "task/family.h"
#include "task/group.h"

namespace xomp {
namespace {

/// A ready task that nobody advertised yet is offered to the policy; `held` are pointers kept
/// besides.
void advertise(Worker& worker, DeferredTask& task, uint32_t held) {
  // Release publishes the task to whoever claims it. The advert is counted before a queue holds it.
  task.state.store(kReady | kAdvert | held, std::memory_order_release);
  if (worker.count > 1 && worker.policy->has_room(worker) && worker.policy->put(worker, &task)) {
    worker.counters.deferred++;
    return;
  }
  task.state.fetch_and(~uint32_t{kAdvert}, std::memory_order_release);
}

/// `task` has become ready on `worker`, which answers for it from now on.
void foster(Worker& worker, DeferredTask& task, bool first) {
  task.foster_next = worker.fostered;
  worker.fostered = &task;
  Worker* owner = task.home->owner;
  if (first) {
    // The worker comes to it next itself: no need to show it to others.
    task.state.store(kReady | kFoster, std::memory_order_release);
  } else {
    advertise(worker, task, kFoster);
  }
  // The parent may sleep in a taskwait; it could run the task as well.
  if (owner != &worker)
    owner->bell.ring();
}

/// Made ready by whoever fulfilled an event, perhaps no member of the team: any worker that may
/// start it comes for it.
void inject(TaskTeam& team, DeferredTask& task) {
  team.injecting.lock();
  // Relaxed: the list is read under the lock only; outside of it a look tells no more than "empty
  // or not".
  task.foster_next = team.injected.load(std::memory_order_relaxed);
  // Release: its parent's worker may claim it without looking at this list.
  task.state.store(kReady | kFoster, std::memory_order_release);
  team.injected.store(&task, std::memory_order_relaxed);
  team.injecting.unlock();
}

/// Takes the first task from a list of tasks made ready that the worker may start.
DeferredTask* claim_listed(DeferredTask*& list, const Scope& scope) {
  DeferredTask** link = &list;
  while (DeferredTask* task = *link) {
    bool ready = task->phase(std::memory_order_acquire) == kReady;
    if (ready && !scope.anything && !(scope.family && descends(*task, *scope.family))) {
      link = &task->foster_next;
      continue;
    }
    *link = task->foster_next;
    if (ready && try_claim(*task, kFoster))
      return task;
    // Somebody else was faster. Release: the owner may free the task after this.
    task->state.fetch_and(~uint32_t{kFoster}, std::memory_order_release);
  }
  return nullptr;
}

DeferredTask* claim_injected(Worker& worker, const Scope& scope) {
  TaskTeam& team = *worker.tasks;
  team.injecting.lock();
  DeferredTask* list = team.injected.load(std::memory_order_relaxed);
  DeferredTask* task = begun(worker) ? claim_listed(list, scope) : nullptr;
  team.injected.store(list, std::memory_order_relaxed);
  team.injecting.unlock();
  return task;
}

bool has_ready(const Family& family) {
  for (const DeferredTask* task = family.children; task; task = task->sibling) {
    if (task->phase(std::memory_order_relaxed) == kReady)
      return true;
  }
  return false;
}

/// Everything that the tasks run at this level left ready. All of it descends from them.
DeferredTask* claim_left_behind(Worker& worker) {
  if (DeferredTask* task = claim_listed(worker.fostered, Scope{nullptr, true}))
    return task;
  while (Family* family = worker.adopted) {
    DeferredTask* task = claim_child(worker, *family);
    if (task && has_ready(*family))
      return task;
    // Before its last child runs, which may leave a family itself: a chain of tasks does not make
    // the list longer.
    worker.adopted = family->next;
    settle(worker, *family);
    if (task)
      return task;
  }
  return nullptr;
}

void finish(Worker& worker, DeferredTask& task, Family* family) {
  if (family) {
    if (part(worker, *family)) {
      family->next = worker.adopted;
      worker.adopted = family;
    }
  }
  // Acquire-release: the later of body and event sees what the other did.
  if (task.detachable && task.unfinished.fetch_sub(1, std::memory_order_acq_rel) != 1)
    return;
  complete(&worker, task);
}

/// Calls the body with a stack of its own in the sense of task.h; returns the family that the task
/// made.
Family* call_body(Worker& worker, DeferredTask& task) {
  int32_t above = std::exchange(worker.above, 1);
  Family* top = std::exchange(worker.top, nullptr);
  Env* env = std::exchange(worker.env, &task.own_env);
  DeferredTask* root = std::exchange(worker.root, &task);
  task.body(task.payload);
  Family* family = worker.top;
  worker.above = above;
  worker.top = top;
  worker.env = env;
  worker.root = root;
  return family;
}

void execute(Worker& worker, DeferredTask& task) {
  worker.dirty = true;
  if (task.home->owner == &worker)
    worker.counters.self++;
  else
    worker.counters.taken++;
  Family* family = nullptr;
  if (cancelled(worker, task.own_env) && !task.copied) [[unlikely]] {
    // Its event, if it has one, will not be fulfilled by a body that never ran.
    task.unfinished.store(1, std::memory_order_relaxed);
  } else {
    family = call_body(worker, task);
  }
  finish(worker, task, family);
}

struct Taker {
  const Worker& worker;
  const Scope& scope;
};

Verdict judge(DeferredTask* task, const void* context) {
  const auto& [worker, scope] = *static_cast<const Taker*>(context);
  sys::delay();
  if (task->phase(std::memory_order_acquire) == kReady) {
    if (!begun(worker))
      return Verdict::kKeep;
    if (!scope.anything && !(scope.family && descends(*task, *scope.family)))
      return Verdict::kKeep;
    if (try_claim(*task, kAdvert))
      return Verdict::kTake;
  }
  sys::delay();
  // Stale: its parent's worker ran it. Release: the owner may free the task after this.
  task->state.fetch_and(~uint32_t{kAdvert}, std::memory_order_release);
  return Verdict::kDrop;
}

} // namespace

bool cancelled(const Worker& worker, const Env& env) {
  if (!settings.cancellation) [[likely]]
    return false;
  // Relaxed: cancellation is noticed "at some point"; nothing is read on the strength of it.
  if (worker.tasks->cancelled.load(std::memory_order_relaxed))
    return true;
  Taskgroup* group = env.group;
  if (!group)
    return false;
  if (group->cancelled.load(std::memory_order_relaxed))
    return true;
  return group->workshare && group->outer &&
         group->outer->cancelled.load(std::memory_order_relaxed);
}

void launch(Worker& worker, DeferredTask& task) {
  // What earlier levels were left with has to wait for them: it need not descend from what runs
  // here.
  Family* outer_adopted = std::exchange(worker.adopted, nullptr);
  DeferredTask* outer_fostered = std::exchange(worker.fostered, nullptr);
  execute(worker, task);
  while (DeferredTask* next = claim_left_behind(worker))
    execute(worker, *next);
  worker.adopted = outer_adopted;
  worker.fostered = outer_fostered;
}

DeferredTask* next_task(Worker& worker, Family* root, const Scope& scope) {
  if (root && root->children) {
    if (DeferredTask* task = claim_child(worker, *root))
      return task;
  }
  if (worker.tasks->injected.load(std::memory_order_relaxed)) [[unlikely]] {
    if (DeferredTask* task = claim_injected(worker, scope))
      return task;
  }
  if (worker.fostered) {
    if (DeferredTask* task = claim_listed(worker.fostered, scope))
      return task;
  }
  if (worker.count == 1)
    return nullptr;
  Taker taker{worker, scope};
  return worker.policy->take(worker, Judge{judge, &taker});
}

void complete(Worker* worker, DeferredTask& task) {
  Worker& owner = *task.home->owner;
  TaskTeam& team = *owner.tasks;
  Taskgroup* group = task.own_env.group;
  release_env(task.own_env);

  int released = 0;
  release_successors(task, [&](DeferredTask& successor) {
    if (worker)
      foster(*worker, successor, released == 0);
    else
      inject(team, successor);
    ++released;
  });
  if (released && !worker) {
    for (int i = 0; i < team.count; ++i)
      owner.workers[i]->bell.ring();
  }
  // Release: the owner, and whoever waits, sees the task's effects. The task may be freed from here
  // on.
  sys::delay();
  task.state.fetch_or(kDone, std::memory_order_release);
  sys::delay();
  if (&owner != worker)
    owner.bell.ring();
  if (group)
    leave_group(worker, *group);
  if (team.counts_outstanding && team.outstanding.fetch_sub(1, std::memory_order_acq_rel) == 1 &&
      team.drained)
    team.drained(team);
}

void fulfill(DeferredTask& task) {
  TaskTeam& team = *task.home->owner->tasks;
  // The team outlives this call: the task is unfinished until here, and from here on we are
  // counted.
  team.visitors.fetch_add(1, std::memory_order_relaxed);
  // Not on behalf of the calling worker, even if it is a member: the successors need not descend
  // from what it is in the middle of, so they do not belong into its list.
  if (task.unfinished.fetch_sub(1, std::memory_order_acq_rel) == 1)
    complete(nullptr, task);
  // Release: whoever frees the team sees that we are done with it.
  team.visitors.fetch_sub(1, std::memory_order_release);
}

void see_off_visitors(TaskTeam& team) {
  while (team.visitors.load(std::memory_order_acquire) != 0)
    sched_yield();
}

} // namespace xomp
