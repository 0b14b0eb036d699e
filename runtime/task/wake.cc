// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "task/wake.h"

#include "task/frame.h"

namespace xomp {
namespace {

/// Orders the task before the look at who sleeps: the other half of the Dekker pair is in
/// `lie_down`.
bool somebody_sleeps(const TaskTeam& team) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return team.asleep.load(std::memory_order_relaxed) > 0;
}

/// `Worker::call` of a sleeper that could start anything; of one inside a task, the task's family.
constexpr uintptr_t kAnything = 2;

uintptr_t waits_in(const Family* family) { return reinterpret_cast<uintptr_t>(family); }

/// Calls `sleeper` if it sleeps and was not called yet: two tasks are not left to one worker.
/// Acquire pairs with `lie_down`: the caller sees that the bell is to be rung. Without that the
/// worker would sleep on, and nobody call it again. No release: there is a fence before.
bool call(Worker& sleeper, uintptr_t asleep, Call call) {
  return sleeper.call.compare_exchange_strong(asleep, call.word, std::memory_order_acquire,
                                              std::memory_order_relaxed);
}

/// One of those that could start anything. False: none sleeps.
bool call_sleeper(const Worker& near, Call made) {
  int id = near.tasks->sleepers.choose(near);
  if (id < 0)
    return false;
  Worker& sleeper = *near.workers[id];
  // If it is too late for that, the worker knows that it was called, but not for what.
  call(sleeper, kAnything, made);
  sleeper.bell.ring_after_fence();
  return true;
}

/// False: nobody sleeps inside a task, or somebody else was called.
bool only_in_tasks(const Worker& near, Call made) {
  const TaskTeam& team = *near.tasks;
  return somebody_sleeps(team) && !call_sleeper(near, made) &&
         team.restricted.load(std::memory_order_relaxed) > 0;
}

} // namespace

void wake_for(Worker& near, const Family& family) {
  Call made = Call::of(&family);
  if (!only_in_tasks(near, made))
    return;
  // The next one upwards that waits in its task. Relaxed: ordered by the fence.
  for (const Family* each = &family; each; each = each->ancestor) {
    Worker& owner = *each->owner;
    if (owner.call.load(std::memory_order_relaxed) == waits_in(each) &&
        call(owner, waits_in(each), made))
      return owner.bell.ring_after_fence();
  }
}

void wake_for_own(Worker& near) {
  if (!somebody_sleeps(*near.tasks))
    return;
  if (const Family* family = nearest_family(near.stack.current))
    wake_for(near, *family);
  else
    call_sleeper(near, Call(Call::kUnknown)); // nobody waits in a task above it
}

void pass_on(const Worker& near, Call made) {
  if (!made || !only_in_tasks(near, made))
    return;
  for (int i = 0; i < near.count; ++i) {
    Worker& each = *near.workers[i];
    uintptr_t asleep = each.call.load(std::memory_order_relaxed);
    if (asleep && asleep != kAnything && !(asleep & Call::kMade) &&
        call(each, asleep, Call(Call::kNoMatter)))
      each.bell.ring_after_fence();
  }
}

void wake_any(const Worker& near, const DeferredTask& task) { pass_on(near, Call::of(&task)); }

void lie_down(Worker& worker, const Scope& scope) {
  TaskTeam& team = *worker.tasks;
  XOMP_ASSERT(self == &worker && worker.call.load(std::memory_order_relaxed) == 0);
  // Release: `call`.
  worker.call.store(scope.anything ? kAnything : waits_in(scope.family), std::memory_order_release);
  if (scope.anything)
    team.sleepers.add(worker.id);
  else
    team.restricted.fetch_add(1, std::memory_order_relaxed);
  // Sequentially consistent: counted before this worker looks for tasks once more.
  team.asleep.fetch_add(1, std::memory_order_seq_cst);
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

Call get_up(Worker& worker, const Scope& scope) {
  TaskTeam& team = *worker.tasks;
  XOMP_ASSERT(self == &worker && team.asleep.load(std::memory_order_relaxed) > 0);
  XOMP_ASSERT(scope.anything || team.restricted.load(std::memory_order_relaxed) > 0);
  // Relaxed: who sees any of this late rings a bell for nothing.
  team.asleep.fetch_sub(1, std::memory_order_relaxed);
  bool taken_out = scope.anything && team.sleepers.remove(worker.id);
  if (!scope.anything)
    team.restricted.fetch_sub(1, std::memory_order_relaxed);
  // Acquire: a worker that was called finds what it was called for. The bell says nothing about
  // that when it was rung by somebody else.
  uintptr_t word = worker.call.exchange(0, std::memory_order_acquire);
  if (word & Call::kMade)
    return Call(word);
  if (!taken_out)
    return Call();
  // A policy that brings tasks to sleepers has put them into this worker's queue.
  return Call(worker.policy->shared ? Call::kUnknown : Call::kNoMatter);
}

} // namespace xomp
