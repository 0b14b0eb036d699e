// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "task/wakeup.h"

#include "sys/assert.h"
#include "sys/short_wait.h"
#include "task/frame.h"

namespace xomp {
namespace {

/// Gives `sleeper` a reason to wake up if it sleeps and has none yet: two tasks are not left to one
/// worker. It counts as asleep no more: until it has a processor there is nobody to wake there.
/// Acquire pairs with `prepare_park`: the caller sees that the bell is to be rung, and that it was
/// counted. Without that the worker would sleep on, and nobody call it again. No release: there is
/// a fence before.
bool assign(Worker& sleeper, uintptr_t parked_as, WakeReason reason) {
  XOMP_ASSERT(reason && !(parked_as & WakeReason::kMade));
  if (!sleeper.wake_word.compare_exchange_strong(parked_as, reason.word, std::memory_order_acquire,
                                                 std::memory_order_relaxed))
    return false;
  // Relaxed: who sees it late wakes nobody in vain.
  sleeper.task_team->asleep.fetch_sub(1, std::memory_order_relaxed);
  return true;
}

/// One of those that could start anything. False: none sleeps.
bool wake_sleeper(const Worker& near, WakeReason reason) {
  int id = near.task_team->sleepers.choose(near);
  if (id < 0)
    return false;
  Worker& sleeper = peer_of(near, id);
  // It waits for that (`end_park`), but under a policy that is not shared: there it may be too
  // late.
  assign(sleeper, Scope::kAnything, reason);
  sleeper.bell.ring_after_fence();
  return true;
}

/// Wakes one for a child of `full_frame`.
void wake_one_for(Worker& worker, const Worker& near, const FullFrame& full_frame) {
  WakeReason reason = WakeReason::of(&full_frame);
  if (wake_sleeper(near, reason))
    return;
  // The next one upwards that waits in its task. Relaxed: ordered by the fence.
  Climb climb(worker);
  for (const FullFrame* each = &full_frame; each; each = next_upwards(*each)) {
    Worker& owner = *each->owner;
    uintptr_t parked_as = Scope::of(each).word;
    if (owner.wake_word.load(std::memory_order_relaxed) == parked_as &&
        assign(owner, parked_as, reason))
      return owner.bell.ring_after_fence();
  }
}

} // namespace

bool leave_to_searchers(TaskTeam& team) {
  if (!team.left_to_searchers.load(std::memory_order_relaxed))
    team.left_to_searchers.store(true, std::memory_order_relaxed);
  // The other half of the Dekker pair is in `cease_search`, or in front of a last look.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return team.searchers.load(std::memory_order_relaxed) > 0;
}

bool somebody_to_wake(TaskTeam& team, bool small) {
  // Orders the task before the look at which workers sleep: the other half of the Dekker pair is in
  // `prepare_park`.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return team.asleep.load(std::memory_order_relaxed) > 0 && !(small && leave_to_searchers(team));
}

void cease_search(Worker& worker) {
  TaskTeam& team = *worker.task_team;
  XOMP_ASSERT(team.searchers.load(std::memory_order_relaxed) > 0);
  // Sequentially consistent: a creator that still counted this worker has made its task visible and
  // stored `left_to_searchers` before.
  if (team.searchers.fetch_sub(1, std::memory_order_seq_cst) != 1)
    return;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (team.left_to_searchers.load(std::memory_order_relaxed))
    wake_any(worker,
             WakeReason(WakeReason::kNoMatter)); // the woken one searches, and ceases too
}

void wake_for(Worker& worker, const Worker& near, const FullFrame& full_frame, bool small) {
  if (somebody_to_wake(*worker.task_team, small))
    wake_one_for(worker, near, full_frame);
}

void wake_for_own(Worker& worker, bool small) {
  if (!somebody_to_wake(*worker.task_team, small))
    return;
  if (const FullFrame* full_frame = nearest_full_frame(worker.stack.current))
    wake_one_for(worker, worker, *full_frame);
  else
    wake_sleeper(worker, WakeReason(WakeReason::kUnknown)); // nobody waits in a task above it
}

void wake_any(const Worker& near, WakeReason reason) {
  if (!reason || !somebody_to_wake(*near.task_team, false) || wake_sleeper(near, reason))
    return;
  for (int i = 0; i < near.count; ++i) {
    Worker& each = peer_of(near, i);
    uintptr_t parked_as = each.wake_word.load(std::memory_order_relaxed);
    if (parked_as && parked_as != Scope::kAnything && !(parked_as & WakeReason::kMade) &&
        assign(each, parked_as, WakeReason(WakeReason::kNoMatter)))
      each.bell.ring_after_fence();
  }
}

void prepare_park(Worker& worker, const Scope& scope) {
  TaskTeam& team = *worker.task_team;
  XOMP_ASSERT(self == &worker && worker.wake_word.load(std::memory_order_relaxed) == 0);
  XOMP_ASSERT(scope.word && !scope.is_members());
  // Relaxed: counted before anybody can assign it a reason, and, by the fence, before it looks for
  // tasks once more.
  team.asleep.fetch_add(1, std::memory_order_relaxed);
  // Release: `assign`.
  worker.wake_word.store(scope.word, std::memory_order_release);
  if (scope.anything())
    team.sleepers.add(worker.id);
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

WakeReason end_park(Worker& worker, const Scope& scope) {
  TaskTeam& team = *worker.task_team;
  XOMP_ASSERT(self == &worker);
  bool taken_out = scope.anything() && team.sleepers.remove(worker.id);
  // Whoever has taken it out says next what for (`wake_sleeper`). Later, that would be the reason
  // of another sleep, for which somebody else can take it out too.
  if (taken_out && worker.policy->shared) {
    for (sys::ShortWait wait; worker.wake_word.load(std::memory_order_relaxed) == Scope::kAnything;)
      wait.once();
  }
  // Acquire: a worker that was called finds what it was called for. The bell says nothing about
  // that when it was rung by somebody else.
  uintptr_t word = worker.wake_word.exchange(0, std::memory_order_acquire);
  bool called = word & WakeReason::kMade;
  if (!called) {
    XOMP_ASSERT(team.asleep.load(std::memory_order_relaxed) > 0);
    // Relaxed: a thread that sees any of this late rings a bell for nothing.
    team.asleep.fetch_sub(1, std::memory_order_relaxed);
  }
  // A policy that brings tasks to sleepers takes them out as well, and has put the tasks into this
  // worker's queue; it may be another one that has said what for.
  if (taken_out && !worker.policy->shared)
    return WakeReason(called ? WakeReason::kUnknown : WakeReason::kNoMatter);
  XOMP_ASSERT(called || !taken_out);
  return called ? WakeReason(word) : WakeReason();
}

} // namespace xomp
