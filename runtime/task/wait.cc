// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "task/wait.h"

#include "events/events.h"
#include "sys/clock.h"
#include "sys/cpu.h"
#include "sys/memory.h"
#include "task/create.h"
#include "task/depend.h"
#include "task/family.h"
#include "task/waiting.h"
#include "task/whereabouts.h"

namespace xomp {

void wait_for_children(Worker& worker, const void* place) {
  // Of one that is half claimed nobody else knows whether it is there.
  Slot* top = worker.stack.top();
  if (has_own(worker) && Slot::is_frame(top->link.load(std::memory_order_relaxed)) &&
      worker.stack.claim_slowly(top))
    run_own(worker, top);
  while (Slot* own = claim_own(worker))
    run_own(worker, own);
  Family* family = family_of_current(worker);
  bool idle = !family || (!family->live && family->stolen.load(std::memory_order_acquire) == 0);
  if (idle && !(worker.track && trace::listening(trace::kTool)))
    return;
  Whereabouts here(worker, Doing::kTaskwait);
  trace::Waiting told(worker.track, trace::Kind::kTaskwait, place);
  auto done = [&] {
    // A thief may have made it meanwhile.
    if (has_own_children(worker))
      return false;
    family = family_of_current(worker);
    return !family || finished(worker, *family);
  };
  if (!in_a_moment(worker, done))
    wait_in_task(worker, done);
  // Every predecessor in the table is done: forget them, so that their memory is not kept. It is
  // freed when memory is needed: a look now would cost as much as tasks are named by queues.
  if (family && family->depends)
    family->depends->clear();
}

void wait_for_many(Worker& worker, const void* place) {
  bool all = run_in_order(worker);
  // Relaxed: its own family, or one that was made for a task taken from here: found under the lock.
  if (!all || worker.stack.current->link.load(std::memory_order_relaxed) != 0)
    wait_for_children(worker, place);
}

namespace {

void wait_for_those(Worker& worker, void** depend, const void* place) {
  Family* family = family_of_current(worker);
  if (!family || !family->depends)
    return;
  trace::Waiting told(worker.track, trace::Kind::kTaskwait, place, 0, trace::kWithDependences);
  wait_for_predecessors(worker, *family, DependList(depend, true));
}

/// A tool is told of a mergeable task that is not deferred and has no body (OpenMP 5.2, 15.5).
[[gnu::noinline]] void wait_for_those_told(Worker& worker, void** depend,
                                           const trace::CallSite& site) {
  trace::TaskTrace task;
  constexpr auto kFlags = static_cast<int>(ompt_task_taskwait | ompt_task_undeferred |
                                           static_cast<unsigned>(ompt_task_mergeable));
  task.id = worker.track->next_id();
  trace::tool_task_created(*worker.track, task.tool, kFlags, true, site);
  tell_dependences(*worker.track, task, DependList(depend));
  wait_for_those(worker, depend, site.code);
  trace::tool_taskwait_ends(task.tool);
}

} // namespace

void taskwait_depend(Worker& worker, void** depend, const void* place) {
  if (worker.track && trace::listening(trace::kTool)) [[unlikely]]
    return wait_for_those_told(worker, depend, {place, __builtin_dwarf_cfa()});
  wait_for_those(worker, depend, place);
}

void wait_for_predecessors(Worker& worker, Family& family, const DependList& list) {
  std::size_t bound = 0;
  for_each_predecessor(family, list, [&](DeferredTask&) { ++bound; });
  if (bound == 0)
    return;
  // The predecessors are kept by their table references while we wait: nobody enters new ones
  // meanwhile, except tasks that run below this wait, and those have families of their own.
  auto** tasks = static_cast<DeferredTask**>(sys::allocate(bound * sizeof(DeferredTask*)));
  std::size_t count = 0;
  for_each_predecessor(family, list, [&](DeferredTask& task) {
    if (count < bound)
      tasks[count++] = &task;
  });
  Whereabouts here(worker, Doing::kDependence);
  wait_in_task(worker, [&] {
    while (count && tasks[count - 1]->phase(std::memory_order_acquire) == kDone)
      --count;
    return count == 0;
  });
  sys::release(tasks);
}

void wait_for_admission(Worker& worker, const DeferredTask& task) {
  Whereabouts here(worker, Doing::kDependence);
  trace::Waiting told(worker.track, trace::Kind::kDependenceWait, nullptr);
  // Acquire: what those did that held the items before.
  wait_in_task(worker, [&] { return task.exclusion->admitted.load(std::memory_order_acquire); });
}

namespace {

/// Moves what lies in the worker's own queues, where nobody else sees it, to the board.
void show_queued(Worker& worker) {
  Search none{Scope{nullptr, false}, true};
  next_task(worker, nullptr, none);
}

} // namespace

bool wait_for_fewer(Worker& worker, Family& family, uint32_t most) {
  constexpr double kPatience = 0.01, kGrace = 0.0001; // seconds
  constexpr int64_t kNap = 100000;                    // nanoseconds
  const TaskTeam& team = *worker.tasks;
  double begin = sys::seconds(), since = begin;
  // What is ready is for the hungry, or for who has just been woken for it: it may itself wait for
  // this worker.
  auto alone = [&] {
    return worker.count == 1 ||
           (team.hungry.load(std::memory_order_relaxed) == 0 && sys::seconds() - begin > kGrace);
  };
  while (too_many_wait(worker, family, most + 1)) {
    uint32_t before = family.waiting_count;
    bool ran = false;
    // Each look at all of them is paid for by several that run.
    while (family.waiting_count > most && alone()) {
      DeferredTask* child = claim_child(worker, family, true);
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
    if (!too_many_wait(worker, family, most + 1)) {
      worker.bell.cancel();
      break;
    }
    worker.bell.sleep_at_most(kNap);
    double now = sys::seconds();
    if (!too_many_wait(worker, family, before))
      since = now;
    else if (now - since > kPatience)
      return false;
  }
  return true;
}

void yield_to_any(Worker& worker) {
  // A task without a family has no descendants that could be started here; all that is left to do
  // is to show queued tasks to others, where they do not see them anyway.
  constexpr int32_t kLookEvery = 16, kShowEvery = 64; // taskyields
  Family* family = family_of_current(worker);
  bool descendants = family || has_own(worker);
  if (!descendants && (worker.count == 1 || worker.policy->shared)) {
    worker.idle_yields = -1;
    return;
  }
  worker.idle_yields = (descendants ? kLookEvery : kShowEvery) - 1;
  // A task that yields inside one that yields, and so on, exhausts the stack.
  if (deep(worker))
    return;
  Search search{Scope{family, false}, true};
  Found found = find(worker, search);
  if (!found)
    return;
  worker.idle_yields = 0; // there may be more
  if (worker.track)
    worker.track->tool.leaves = ompt_task_yield;
  run(worker, found);
}

} // namespace xomp
