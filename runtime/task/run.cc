// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "task/run.h"

#include <utility>

#include "events/events.h"
#include "sys/delay.h"
#include "sys/short_wait.h"
#include "task/activity.h"
#include "task/depend.h"
#include "task/environment.h"
#include "task/frame.h"
#include "task/full_frame.h"
#include "task/group.h"
#include "task/overflow.h"
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

/// A task that others come for, and the worker itself later if it is in its list, too (`listed`:
/// kInReadyList). Once it is ready its parent's worker may claim it, so there is no way back: what
/// no queue has room for goes to the overflow list.
void show(Worker& worker, DeferredTask& task, uint32_t listed = 0) {
  XOMP_ASSERT(task.may_be(kReady | kInQueue | listed));
  // Release as above. The queue entry is counted before a queue holds it.
  task.state.store(kReady | kInQueue | listed, std::memory_order_release);
  if (listed)
    add_ready_successor(worker, task);
  // Not into its own queue, where that is seen by nobody else.
  int target = put(worker, task, true);
  if (target == kNoRoom) {
    post(*worker.tasks, task);
    return wake_any(worker, task);
  }
  worker.counters.deferred++;
  if (worker.policy->shared)
    wake_any(*worker.workers[target], task);
}

/// Whether `task` is for the workers of another domain.
bool for_others(const Worker& worker, const DeferredTask& task, int& domain) {
  bool strict = settings.locality == LocalityMode::kStrict;
  if (worker.count == 1 || !worker.policy->place || (task.placement < 0 && !strict))
    return false;
  domain = task.placement < 0 ? task.parent->owner->domain : task.placement;
  return domain != worker.domain;
}

/// Puts such a task into their queue.
bool hand_over(Worker& worker, DeferredTask& task) {
  int domain;
  if (!for_others(worker, task, domain))
    return false;
  worker.placement = worker.policy->place(worker, domain);
  show(worker, task);
  return true;
}

/// Whether a task that the worker could start next queues behind those that were ready before it.
/// Directly after its predecessor it finds its data in the cache, but of chains of different
/// lengths the first would be worked off before the last is begun: large tasks wait their turn.
bool in_turn(const Worker& worker, const DeferredTask& task) {
  return worker.count > 1 && worker.policy->shared && offers_large(*task.parent->owner);
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
    wake_any(owner, successor);
  });
}

/// Everything that the tasks run at this level left ready. All of it descends from them.
DeferredTask* claim_left_behind(Worker& worker) {
  if (DeferredTask* task = claim_listed<&DeferredTask::next_ready, kInReadyList>(
          worker.ready_successors, Scope{nullptr, true}, [] {}))
    return task;
  while (FullFrame* full_frame = worker.ended_with_ready) {
    DeferredTask* task = claim_child(worker, *full_frame, true);
    if (task && has_ready(*full_frame))
      return task;
    // Before its last child runs, which may leave a full frame itself: a chain of tasks does not
    // make the list longer.
    worker.ended_with_ready = full_frame->next;
    free_or_keep(worker, *full_frame);
    if (task)
      return task;
  }
  return nullptr;
}

void finish(Worker& worker, DeferredTask& task, FullFrame* full_frame) {
  if (full_frame && leave_children(worker, *full_frame)) {
    if (all_is_found(worker)) {
      free_or_keep(worker, *full_frame);
    } else {
      full_frame->next = worker.ended_with_ready;
      worker.ended_with_ready = full_frame;
    }
  }
  XOMP_ASSERT(task.unfinished.load(std::memory_order_relaxed) > 0);
  // Acquire-release: the later of body and event sees what the other did.
  if (task.detachable && task.unfinished.fetch_sub(1, std::memory_order_acq_rel) != 1)
    return;
  complete(&worker, task);
}

uint8_t taken(const Worker& worker, const DeferredTask& task) {
  return task.parent->owner == &worker ? 0 : trace::kTaskTaken;
}

/// Calls the body, for listeners.
[[gnu::noinline]] void call_traced(trace::Track& track, Worker& worker, DeferredTask& task) {
  trace::TaskTrace met;
  if (!task.traced)
    trace::task_met(track, met, reinterpret_cast<trace::Code>(task.body));
  trace::TaskTrace& trace = task.traced ? trace_of(task) : met;
  make_waits_traced(worker);
  trace::task_begins(track, trace);
  task.body(task.payload);
  trace::task_ends(track, trace,
                   {taken(worker, task), cancelled(worker, *worker.env), task.detachable});
}

/// Calls the body in a frame that has nothing to do with those below; returns the full frame that
/// the task made.
FullFrame* call_body(Worker& worker, DeferredTask& task) {
  Env* env = change_env(worker, &task.own_env);
  Slot* outer = nullptr;
  Slot* frame = enter_frame(worker, root_mark, outer);
  if (frame) [[likely]]
    root_of(*frame) = Root{&task.own_env, task.parent};
  bool measures = frame && task.measured && frame + 1 < worker.stack.last;
  if (measures)
    expect_no_creation(frame);
  int64_t begin = measures ? sys::ticks() : 0;
  if (worker.track) [[unlikely]]
    call_traced(*worker.track, worker, task);
  else
    task.body(task.payload);
  if (measures && !has_created(frame))
    note_size(worker, *task.parent->owner, sys::ticks() - begin);
  FullFrame* full_frame = nullptr;
  if (frame) [[likely]] {
    if (has_own(worker))
      move_to_heap(worker); // this task may be complete before they are
    full_frame = current_full_frame(worker);
    worker.stack.current = outer;
    worker.stack.cut(frame);
  }
  change_env(worker, env);
  return full_frame;
}

void execute(Worker& worker, DeferredTask& task) {
  XOMP_ASSERT(self == &worker && task.phase(std::memory_order_relaxed) == kRunning);
  worker.dirty = true;
  Worker& creator = *task.parent->owner;
  worker.counters.count_run(&creator == &worker, creator.domain == worker.domain);
  FullFrame* full_frame = nullptr;
  if (cancelled(worker, task.own_env) && !task.copied) [[unlikely]] {
    // Nobody needs to fulfill the event of a task that is discarded; whoever has done so, or does
    // it at this moment, has a share in the task as ever. Relaxed: `finish` does the rest.
    if (task.detachable && withdraw_event(task)) {
      XOMP_ASSERT(worker.tasks->open_events.load(std::memory_order_relaxed) > 0);
      worker.tasks->open_events.fetch_sub(1, std::memory_order_relaxed);
      task.unfinished.fetch_sub(1, std::memory_order_relaxed);
    }
    if (worker.track && task.traced)
      trace::task_discarded(*worker.track, trace_of(task), taken(worker, task),
                            worker.tasks->cancelled.load(std::memory_order_relaxed));
    if (task.discards)
      discard(worker, task.body, task.payload);
  } else {
    full_frame = call_body(worker, task);
  }
  finish(worker, task, full_frame);
}

/// A task was found, here or in a queue: the policy may want to know.
void notify_policy(Worker& worker) {
  if (worker.policy->found_task)
    worker.policy->found_task(worker);
}

struct Taker {
  const Worker& worker;
  const Search& search;
  bool posted_any = false;
  bool overflow_full = false;

  bool post_instead(DeferredTask& task) {
    if (!search.thorough || worker.policy->shared || overflow_full)
      return false;
    bool posted = post_kept(*worker.tasks, task);
    (posted ? posted_any : overflow_full) = true;
    return posted;
  }
};

Verdict judge(DeferredTask* task, void* context) {
  auto& taker = *static_cast<Taker*>(context);
  sys::delay();
  if (task->phase(std::memory_order_acquire) == kReady) {
    if (!begun(taker.worker))
      return Verdict::kKeep;
    // Dropped: the queue entry has changed its place.
    if (!allows(taker.search.scope, *task))
      return taker.post_instead(*task) ? Verdict::kDrop : Verdict::kKeep;
    if (try_claim(*task, kInQueue))
      return Verdict::kTake;
  }
  sys::delay();
  // Stale: its parent's worker ran it.
  give_up(*task, kInQueue);
  return Verdict::kDrop;
}

} // namespace

void discard(Worker& worker, void (*body)(void*), void* data) {
  worker.discards = true;
  body(data);
  worker.discards = false;
}

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

bool drop_if_stale(DeferredTask* task) {
  // Relaxed: a task that is not ready any more stays so; whoever takes an entry that moves looks
  // again.
  if (task->phase(std::memory_order_relaxed) == kReady)
    return false;
  give_up(*task, kInQueue);
  return true;
}

void launch(Worker& worker, DeferredTask& task) {
  notify_policy(worker);
  launch_at_once(worker, task);
}

void launch_at_once(Worker& worker, DeferredTask& task) {
  Activity here(worker, ActivityKind::kTask);
  Level level(worker);
  execute(worker, task);
  level.run_left_behind();
}

void Level::run_left_behind() {
  while (DeferredTask* next = claim_left_behind(worker)) {
    notify_policy(worker);
    execute(worker, *next);
  }
  XOMP_ASSERT(!worker.ready_successors && !worker.ended_with_ready);
}

bool allows(const Scope& scope, const DeferredTask& task) {
  return scope.anything || (scope.task && descends(*task.parent, *scope.task));
}

DeferredTask* next_task(Worker& worker, FullFrame* root, Search& search) {
  if (root && root->live) {
    if (DeferredTask* task = claim_child(worker, *root, search.thorough))
      return task;
  }
  if (worker.ready_successors) {
    if (DeferredTask* task = claim_listed<&DeferredTask::next_ready, kInReadyList>(
            worker.ready_successors, search.scope, [] {}))
      return task;
  }
  if (worker.count > 1) {
    Taker taker{worker, search};
    Judge asked{judge, &taker, search.thorough, search.scope.anything,
                [](const DeferredTask* each) { return each->priority; }};
    auto take = [&] { return worker.policy->take(worker, asked); };
    // A look before a sleep misses nothing that is on its way from one queue to another.
    DeferredTask* task = search.thorough ? worker.tasks->sleepers.look_thoroughly(take) : take();
    if (taker.posted_any)
      ring_all(worker, &worker);
    if (task)
      return task;
  }
  // Not every look goes through tasks most of which may not be started here.
  if (!search.scope.anything && !search.thorough)
    return nullptr;
  return claim_posted(worker, search.scope, search.overflow_seen);
}

void complete(Worker* worker, DeferredTask& task) {
  Worker& owner = *task.parent->owner;
  TaskTeam& team = *owner.tasks;
  Taskgroup* group = task.own_env.group;
  XOMP_ASSERT(task.phase(std::memory_order_relaxed) == kRunning);
  XOMP_ASSERT(!task.detachable || task.unfinished.load(std::memory_order_relaxed) == 0);
  XOMP_ASSERT(!team.counts_outstanding || team.outstanding.load(std::memory_order_relaxed) > 0);
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
  if (team.counts_outstanding && team.outstanding.fetch_sub(1, std::memory_order_acq_rel) == 1)
    central_drained(team);
}

void fulfill(EventHandle event) {
  DeferredTask* taken = take_event(event);
  if (!taken)
    return;
  DeferredTask& task = *taken;
  TaskTeam& team = *task.parent->owner->tasks;
  // The team outlives this call: the task is unfinished until here, and from here on we are
  // counted.
  team.visitors.fetch_add(1, std::memory_order_relaxed);
  XOMP_ASSERT(team.open_events.load(std::memory_order_relaxed) > 0);
  team.open_events.fetch_sub(1, std::memory_order_relaxed);
  bool adopts = false;
  if (task.traced && trace::listening(trace::kTool))
    trace::tool_task_fulfilled(trace_of(task).tool);
  XOMP_ASSERT(task.unfinished.load(std::memory_order_relaxed) > 0);
  if (task.unfinished.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    complete(nullptr, task);
    // Release: a thread that reads the new number finds what the event made ready. The fence orders
    // it before the look at whether the team is abandoned: either we see that, or who abandons it
    // sees this.
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
