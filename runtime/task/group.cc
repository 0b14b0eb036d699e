// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A taskgroup counts its deferred tasks apart: those created or finished by the worker that waits
// for it in a plain word, the others in an atomic one. Only the waiter adds the two; a task is
// counted before it can run, and its own children before it is finished, so the sum is 0 only when
// nothing is left.
#include "task/group.h"

#include <new>
#include <utility>

#include "sys/assert.h"
#include "sys/delay.h"
#include "sys/memory.h"
#include "sys/relaxed.h"
#include "sys/report.h"
#include "task/activity.h"
#include "task/frame.h"
#include "task/full_frame.h"
#include "task/wait_loop.h"

namespace xomp {

Taskgroup& open_group(Worker& worker) {
  Taskgroup* kept = std::exchange(worker.free_group, nullptr);
  auto* group = kept ? ::new (kept) Taskgroup() : sys::create<Taskgroup>();
  Env& env = own_env(worker);
  // What the group's end may start is told by descent from this task, so it needs a full frame,
  // also when all its children run at once: theirs may be left behind, with unfinished
  // predecessors.
  own_full_frame(worker);
  group->outer = env.group;
  group->owner = &worker;
  sys::store_relaxed(env.group, group); // others may look at it (`allows`)
  return *group;
}

namespace {

bool is_over(const Worker& worker, const Taskgroup& group) {
  // Acquire pairs with the release in `leave_group`: the tasks' effects are visible after the wait.
  return !has_own(worker) && group.local + group.remote.load(std::memory_order_acquire) == 0;
}

[[gnu::noinline]] void wait_for_group(Worker& worker, const Taskgroup& group) {
  auto done = [&] { return is_over(worker, group); };
  if (in_a_moment(worker, done))
    return;
  wait_for_some(worker, Wanted{nullptr, 0, &group}, done);
}

} // namespace

void no_group() { sys::fatal("the end or a reduction of a taskgroup, in none"); }

void taskgroup_end(Worker& worker, const void* codeptr) {
  Taskgroup* group = &innermost_group(worker);
  Env& env = *worker.env; // its own since the group began
  XOMP_ASSERT(self == &worker && group->owner == &worker);
  Activity here(worker, ActivityKind::kTaskgroup);
  trace::Waiting traced(worker.track, trace::Kind::kTaskgroup, codeptr);
  if (worker.stack.top() > worker.stack.current + kFewChildren || worker.stack.has_ordered())
    run_in_order(worker);
  while (Slot* own = claim_own(worker))
    run_own(worker, own);
  if (!is_over(worker, *group))
    wait_for_group(worker, *group);
  sys::store_relaxed(env.group, group->outer);
  if (worker.free_group)
    sys::destroy(group);
  else
    worker.free_group = group;
}

void free_group(Worker& worker) {
  if (worker.free_group)
    sys::destroy(std::exchange(worker.free_group, nullptr));
}

void enter_group(Worker& worker, Taskgroup& group) {
  XOMP_ASSERT(self == &worker);
  // Relaxed: the creating task is counted itself or is the waiter; its own end orders this before
  // it.
  if (&worker == group.owner)
    ++group.local;
  else
    group.remote.fetch_add(1, std::memory_order_relaxed);
}

void leave_group(Worker* worker, Taskgroup& group) {
  Worker* owner = group.owner;
  if (worker == owner) {
    XOMP_ASSERT(self == owner);
    --group.local;
    return;
  }
  sys::delay();
  group.remote.fetch_sub(1, std::memory_order_acq_rel);
  owner->bell.ring();
}

} // namespace xomp
