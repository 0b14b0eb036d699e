// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "task/wake.h"

namespace xomp {
namespace {

/// Orders the task before the look at who sleeps: the other half of the Dekker pair is in
/// `lie_down`.
bool somebody_sleeps(const TaskTeam& team) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return team.asleep.load(std::memory_order_relaxed) > 0;
}

bool sleeps_in_task(const TaskTeam& team) {
  return team.restricted.load(std::memory_order_relaxed) > 0;
}

} // namespace

void wake_for(Worker& near, const Family& family) {
  TaskTeam& team = *near.tasks;
  if (!somebody_sleeps(team) || team.sleepers.wake_one(near) || !sleeps_in_task(team))
    return;
  // The next one upwards that waits in its task. Relaxed: ordered by the fence.
  for (const Family* each = &family; each; each = each->ancestor) {
    if (each->owner->waits_in.load(std::memory_order_relaxed) == each)
      return each->owner->bell.ring_after_fence();
  }
}

void wake_any(const Worker& near) {
  TaskTeam& team = *near.tasks;
  if (!somebody_sleeps(team) || team.sleepers.wake_one(near) || !sleeps_in_task(team))
    return;
  for (int i = 0; i < near.count; ++i) {
    Worker& each = *near.workers[i];
    if (each.waits_in.load(std::memory_order_relaxed))
      each.bell.ring_after_fence();
  }
}

void lie_down(Worker& worker, const Scope& scope) {
  TaskTeam& team = *worker.tasks;
  if (scope.anything) {
    team.sleepers.add(worker.id);
  } else {
    // Relaxed: published by the count below.
    worker.waits_in.store(const_cast<Family*>(scope.family), std::memory_order_relaxed);
    team.restricted.fetch_add(1, std::memory_order_relaxed);
  }
  // Sequentially consistent: counted before this worker looks for tasks once more.
  team.asleep.fetch_add(1, std::memory_order_seq_cst);
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

bool get_up(Worker& worker, const Scope& scope) {
  TaskTeam& team = *worker.tasks;
  // Relaxed: who sees any of this late rings a bell for nothing.
  team.asleep.fetch_sub(1, std::memory_order_relaxed);
  if (scope.anything)
    return team.sleepers.remove(worker.id);
  team.restricted.fetch_sub(1, std::memory_order_relaxed);
  worker.waits_in.store(nullptr, std::memory_order_relaxed);
  return true; // it cannot tell
}

} // namespace xomp
