// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sched/papers/na_ws.cc and what it stands on (thief.h, messaging.h, ring_matrix.h, sleepers.h,
// victims.h) under the C++ memory model: each task arrives once, complete, whoever moved it; and no
// thief that has asked, or sleeps, is forgotten by a victim with tasks for it.
#include "checked_std.h"

#include "balancing.h"
#include "sched/papers/na_ws.cc"

namespace {

using namespace xomp;

/// Worker 2 fills the queue of worker 0, the victim, which moves one task to worker 1. Each task
/// runs until both have begun; the victim goes on looking meanwhile, at tasks that it may not
/// start.
struct Move : Balancing<Move, kNaWsPolicy, 3, 2> {
  std::atomic<int> begun{0};

  void thread(unsigned index) {
    int id = static_cast<int>(index);
    if (id == 0)
      return look();
    if (id == 1)
      return wait(id);
    for (int n = 0; n < 2; ++n) {
      tasks[n]->content(RL_INFO) = n;
      while (!push_to(*workers[2], 0, tasks[n]))
        sys::yield();
    }
  }
  void look() {
    DeferredTask* task = nullptr;
    while (!task && !all_finished()) {
      task = take_from_queues(*workers[0], Verdict::kTake);
      sys::yield();
    }
    if (!task)
      return;
    begun.fetch_add(1, std::memory_order_relaxed);
    while (begun.load(std::memory_order_relaxed) < 2) {
      take_from_queues(*workers[0], Verdict::kKeep);
      sys::yield();
    }
    Balancing::run(*task);
  }
  /// By the thief.
  void run(DeferredTask& task) override {
    begun.fetch_add(1, std::memory_order_relaxed);
    while (begun.load(std::memory_order_relaxed) < 2)
      sys::yield();
    Balancing::run(task);
  }
};

} // namespace

int main() {
  // Without acquire all would be well: who takes a task out of a ring opens a gate, by a fence,
  // before it looks at the task.
  constexpr int kRuns = 20000;
  using Test = HandOver<kNaWsPolicy>;
  bool good = verified_and_given<Test>("na-ws", kRuns);
  good &= refuted<Test>("na-ws without release", kRuns, {.release = true});
  good &= refuted<Test>("na-ws without fences", kRuns, {.fence = true});
  good &= verified_and_given<Move>("na-ws, a victim that moves", kRuns);
  good &= refuted<Move>("na-ws, a victim that moves, without release", kRuns, {.release = true});
  good &= refuted<Move>("na-ws, a victim that moves, without fences", kRuns, {.fence = true});
  return good ? 0 : 1;
}
