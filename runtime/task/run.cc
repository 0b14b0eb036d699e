// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "task/run.h"

#include <utility>

#include "events/events.h"
#include "sys/delay.h"
#include "sys/short_wait.h"
#include "task/board.h"
#include "task/depend.h"
#include "task/environment.h"
#include "task/family.h"
#include "task/frame.h"
#include "task/group.h"
#include "task/wake.h"
#include "task/whereabouts.h"

namespace xomp {
namespace {

/// `task` has become ready on `worker`, which answers for it from now on. The parent may sleep in a
/// taskwait; it could run the task as well.
void foster(Worker& worker, DeferredTask& task) {
  task.foster_next = worker.fostered;
  worker.fostered = &task;
  Worker* owner = task.home->owner;
  if (owner != &worker)
    owner->bell.ring();
}

/// A fostered task that the worker comes to next itself: no need to show it to others.
void foster_own(Worker& worker, DeferredTask& task) {
  XOMP_ASSERT(task.may_be(kReady | kFoster));
  // Release publishes the task to whoever claims it.
  task.state.store(kReady | kFoster, std::memory_order_release);
  foster(worker, task);
}

/// A fostered task that the worker comes to later. It may be long in coming, so others have to know
/// of the task.
void foster_shown(Worker& worker, DeferredTask& task) {
  XOMP_ASSERT(task.may_be(kReady | kAdvert | kFoster));
  // Release as above. The advert is counted before a queue holds it.
  task.state.store(kReady | kAdvert | kFoster, std::memory_order_release);
  foster(worker, task);
  worker.placement = task.placement;
  // Not into its own queue, where nobody else sees it.
  if (put(worker, task, true) != kNoRoom) {
    worker.counters.deferred++;
    if (!worker.policy->shared)
      return;
  } else {
    post(*worker.tasks, task);
  }
  wake_any(worker, task);
}

/// A task that others come for. Once it is ready its parent's worker may claim it, so there is no
/// way back: what no queue has room for goes to the board.
void show(Worker& worker, DeferredTask& task) {
  XOMP_ASSERT(task.may_be(kReady | kAdvert));
  // Release as above.
  task.state.store(kReady | kAdvert, std::memory_order_release);
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
  domain = task.placement < 0 ? task.home->owner->domain : task.placement;
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
  return worker.count > 1 && worker.policy->shared && offers_large(*task.home->owner);
}

/// Everything that `task`, run by `worker`, was the last predecessor of.
void release_to(Worker& worker, DeferredTask& task) {
  DeferredTask* own = nullptr;
  release_successors(task, [&](DeferredTask& successor) {
    if (hand_over(worker, successor))
      return;
    if (own && worker.count == 1)
      foster_own(worker, *own);
    else if (own)
      foster_shown(worker, *own);
    own = &successor;
  });
  if (own && in_turn(worker, *own))
    show(worker, *own);
  else if (own)
    foster_own(worker, *own); // last, so it is the first in the list
}

/// The same for a task finished by its event. The caller is perhaps no member of the team, and if
/// it is, the successors need not descend from what it is in the middle of: any worker that may
/// start them comes for them.
void release_to_all(TaskTeam& team, const Worker& owner, DeferredTask& task) {
  release_successors(task, [&](DeferredTask& successor) {
    XOMP_ASSERT(successor.may_be(kReady | kAdvert));
    // Release as above.
    successor.state.store(kReady | kAdvert, std::memory_order_release);
    post(team, successor);
    wake_any(owner, successor);
  });
}

/// Takes the first task from a list of tasks made ready that the worker may start.
DeferredTask* claim_listed(DeferredTask*& list, const Scope& scope) {
  DeferredTask** link = &list;
  while (DeferredTask* task = *link) {
    bool ready = task->phase(std::memory_order_acquire) == kReady;
    if (ready && !allows(scope, *task)) {
      link = &task->foster_next;
      continue;
    }
    *link = task->foster_next;
    if (ready && try_claim(*task, kFoster))
      return task;
    XOMP_ASSERT(task->names(kFoster));
    // Somebody else was faster. Release: the owner may free the task after this.
    task->state.fetch_and(~uint32_t{kFoster}, std::memory_order_release);
  }
  return nullptr;
}

/// Everything that the tasks run at this level left ready. All of it descends from them.
DeferredTask* claim_left_behind(Worker& worker) {
  if (DeferredTask* task = claim_listed(worker.fostered, Scope{nullptr, true}))
    return task;
  while (Family* family = worker.adopted) {
    DeferredTask* task = claim_child(worker, *family, true);
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
  if (family && part(worker, *family)) {
    if (all_is_found(worker)) {
      settle(worker, *family);
    } else {
      family->next = worker.adopted;
      worker.adopted = family;
    }
  }
  XOMP_ASSERT(task.unfinished.load(std::memory_order_relaxed) > 0);
  // Acquire-release: the later of body and event sees what the other did.
  if (task.detachable && task.unfinished.fetch_sub(1, std::memory_order_acq_rel) != 1)
    return;
  complete(&worker, task);
}

uint8_t taken(const Worker& worker, const DeferredTask& task) {
  return task.home->owner == &worker ? 0 : trace::kTaskTaken;
}

/// Calls the body, for listeners.
[[gnu::noinline]] void call_told(trace::Track& track, Worker& worker, DeferredTask& task) {
  trace::TaskTrace met;
  if (!task.traced)
    trace::task_met(track, met, reinterpret_cast<trace::Code>(task.body));
  trace::TaskTrace& trace = task.traced ? trace_of(task) : met;
  make_waits_told(worker);
  trace::task_begins(track, trace);
  task.body(task.payload);
  trace::task_ends(track, trace,
                   {taken(worker, task), cancelled(worker, *worker.env), task.detachable});
}

/// What the time that a task took, which has created none itself, says about its creator's.
void learn(Worker& worker, Worker& creator, int64_t ticks) {
  worker.ran_for = ticks;
  note_size(creator, ticks);
  worker.counters.count_measured(ticks, ticks > kTicksOfLarge);
}

/// Calls the body in a frame that has nothing to do with those below; returns the family that the
/// task made.
Family* call_body(Worker& worker, DeferredTask& task) {
  Env* env = change_env(worker, &task.own_env);
  Slot* outer = nullptr;
  Slot* frame = enter_frame(worker, root_mark, outer);
  if (frame) [[likely]]
    root_of(*frame) = Root{&task.own_env, task.home};
  bool measures = frame && task.measured && frame + 1 < worker.stack.last;
  if (measures)
    expect_no_creation(frame);
  int64_t begin = measures ? sys::ticks() : 0;
  if (worker.track) [[unlikely]]
    call_told(*worker.track, worker, task);
  else
    task.body(task.payload);
  if (measures && !has_created(frame))
    learn(worker, *task.home->owner, sys::ticks() - begin);
  Family* family = nullptr;
  if (frame) [[likely]] {
    if (has_own(worker))
      move_to_heap(worker); // this task may be complete before they are
    family = family_of_current(worker);
    worker.stack.current = outer;
    worker.stack.cut(frame);
  }
  change_env(worker, env);
  return family;
}

void execute(Worker& worker, DeferredTask& task) {
  XOMP_ASSERT(self == &worker && task.phase(std::memory_order_relaxed) == kRunning);
  worker.dirty = true;
  Worker& creator = *task.home->owner;
  worker.counters.count_run(&creator == &worker, creator.domain == worker.domain);
  Family* family = nullptr;
  if (cancelled(worker, task.own_env) && !task.copied) [[unlikely]] {
    // Nobody needs to fulfill the event of a task that is discarded; who has done so, or does it at
    // this moment, has a share in the task as ever. Relaxed: `finish` does the rest.
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
    family = call_body(worker, task);
  }
  finish(worker, task, family);
}

/// A task was found, here or in a queue: the policy may want to know.
void tell_found(Worker& worker) {
  if (worker.policy->found_task)
    worker.policy->found_task(worker);
}

void drop_advert(DeferredTask& task) {
  XOMP_ASSERT(task.names(kAdvert));
  // Release: the owner may free the task after this.
  task.state.fetch_and(~uint32_t{kAdvert}, std::memory_order_release);
}

struct Taker {
  const Worker& worker;
  const Search& search;
  bool passed_on = false;
  bool board_full = false;

  bool pass_on(DeferredTask& task) {
    if (!search.pass_on || worker.policy->shared || board_full)
      return false;
    bool posted = post_kept(*worker.tasks, task);
    (posted ? passed_on : board_full) = true;
    return posted;
  }
};

Verdict judge(DeferredTask* task, void* context) {
  auto& taker = *static_cast<Taker*>(context);
  sys::delay();
  if (task->phase(std::memory_order_acquire) == kReady) {
    if (!begun(taker.worker))
      return Verdict::kKeep;
    // Dropped: the advert has changed its place.
    if (!allows(taker.search.scope, *task))
      return taker.pass_on(*task) ? Verdict::kDrop : Verdict::kKeep;
    if (try_claim(*task, kAdvert))
      return Verdict::kTake;
  }
  sys::delay();
  // Stale: its parent's worker ran it.
  drop_advert(*task);
  return Verdict::kDrop;
}

/// A look before a sleep misses nothing that is on its way from one queue to another.
DeferredTask* take_thoroughly(Worker& worker, const Judge& asked) {
  const Sleepers& sleepers = worker.tasks->sleepers;
  for (sys::ShortWait wait;; wait.once()) {
    uint64_t before = sleepers.moves_so_far();
    DeferredTask* task = worker.policy->take(worker, asked);
    if (task || !sleepers.moved_since(before))
      return task;
  }
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
  // Relaxed: a task that is not ready any more stays so; who takes an entry that moves looks again.
  if (task->phase(std::memory_order_relaxed) == kReady)
    return false;
  drop_advert(*task);
  return true;
}

void launch(Worker& worker, DeferredTask& task) {
  tell_found(worker);
  launch_at_once(worker, task);
}

void launch_at_once(Worker& worker, DeferredTask& task) {
  Whereabouts here(worker, Doing::kTask);
  Level level(worker);
  execute(worker, task);
  level.run_left_behind();
}

void Level::run_left_behind() {
  while (DeferredTask* next = claim_left_behind(worker)) {
    tell_found(worker);
    execute(worker, *next);
  }
  XOMP_ASSERT(!worker.fostered && !worker.adopted);
}

bool allows(const Scope& scope, const DeferredTask& task) {
  return scope.anything || (scope.family && descends(*task.home, *scope.family));
}

DeferredTask* next_task(Worker& worker, Family* root, Search& search) {
  if (root && root->live) {
    if (DeferredTask* task = claim_child(worker, *root, search.pass_on))
      return task;
  }
  if (worker.fostered) {
    if (DeferredTask* task = claim_listed(worker.fostered, search.scope))
      return task;
  }
  if (worker.count > 1) {
    Taker taker{worker, search};
    Judge asked{judge, &taker, search.pass_on, search.scope.anything,
                [](const DeferredTask* each) { return each->priority; }};
    DeferredTask* task =
        search.pass_on ? take_thoroughly(worker, asked) : worker.policy->take(worker, asked);
    if (taker.passed_on)
      ring_all(worker, &worker);
    if (task)
      return task;
  }
  // Not every look goes through tasks most of which may not be started here.
  if (!search.scope.anything && !search.pass_on)
    return nullptr;
  return claim_posted(worker, search.scope, search.board_seen);
}

void complete(Worker* worker, DeferredTask& task) {
  Worker& owner = *task.home->owner;
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
  if (team.counts_outstanding && team.outstanding.fetch_sub(1, std::memory_order_acq_rel) == 1 &&
      team.drained)
    team.drained(team);
}

void fulfill(EventHandle event) {
  DeferredTask* taken = take_event(event);
  if (!taken)
    return;
  DeferredTask& task = *taken;
  TaskTeam& team = *task.home->owner->tasks;
  // The team outlives this call: the task is unfinished until here, and from here on we are
  // counted.
  team.visitors.fetch_add(1, std::memory_order_relaxed);
  XOMP_ASSERT(team.open_events.load(std::memory_order_relaxed) > 0);
  team.open_events.fetch_sub(1, std::memory_order_relaxed);
  bool heir = false;
  if (task.traced && trace::listening(trace::kTool))
    trace::tool_task_fulfilled(trace_of(task).tool);
  XOMP_ASSERT(task.unfinished.load(std::memory_order_relaxed) > 0);
  if (task.unfinished.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    complete(nullptr, task);
    // Release: who reads the new number finds what the event made ready. The fence orders it before
    // the look at whether the team is abandoned: either we see that, or who abandons it sees this.
    team.fulfilled.fetch_add(1, std::memory_order_release);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    heir = take_over(team);
  }
  XOMP_ASSERT(team.visitors.load(std::memory_order_relaxed) > 0);
  // Release: whoever frees the team sees that we are done with it.
  team.visitors.fetch_sub(1, std::memory_order_release);
  if (heir)
    team.heir(team);
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
