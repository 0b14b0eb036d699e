// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The count of the flat barrier (task/shared_barrier.h) under the C++ memory model: two members
// wait, and run a task that a third one created before it came, and another that the first of them
// created in it; or the next round's, while they have not seen that this one is over. Nobody leaves
// before the round's tasks are done, all see what these did, and a member takes itself out of its
// own round's count only.
#include "checked_std.h"

#include "task/shared_barrier.h"

namespace {

using xomp::SharedBarrier;

/// How a member that is counted, and has a task, takes itself out.
enum class Leaving : uint8_t { kAsWritten, kAlways, kNever, kAfterTask };

template <Leaving kLeaving> struct Flat : rl::test_suite<Flat<kLeaving>, 3> {
  static constexpr int kMembers = 3, kRounds = 2;
  SharedBarrier barrier;
  // Of the task that member 0 creates in each round, and of that one's child: the round.
  std::atomic<int> task{0}, child{0}; ///< to be taken; 0: none
  std::atomic<int> task_done{0}, child_done{0};
  rl::var<int> effects[kRounds + 1], child_effects[kRounds + 1];

  /// A member in its wait.
  struct Waiter {
    int round;
    int& created; ///< the round of the child that it has created last
    bool counted = false;
  };

  void leave(Waiter& waiter) {
    if (!std::exchange(waiter.counted, false))
      return;
    if (kLeaving == Leaving::kAlways)
      barrier.arrived.fetch_sub(1, std::memory_order_relaxed);
    else
      barrier.count_out(waiter.round);
  }

  bool take(Waiter& waiter, std::atomic<int>& from, int& taken) {
    taken = from.load(std::memory_order_relaxed);
    if (taken == 0 || !from.compare_exchange_strong(taken, 0, std::memory_order_acquire,
                                                    std::memory_order_relaxed))
      return false;
    if (kLeaving == Leaving::kAsWritten || kLeaving == Leaving::kAlways)
      leave(waiter);
    return true;
  }

  void run_one(Waiter& waiter) {
    int taken = 0;
    if (take(waiter, task, taken)) {
      effects[taken](RL_INFO) = taken;
      waiter.created = taken;
      child.store(taken, std::memory_order_release);
      task_done.store(taken, std::memory_order_release);
    } else if (take(waiter, child, taken)) {
      child_effects[taken](RL_INFO) = taken;
      child_done.store(taken, std::memory_order_release);
    } else {
      return;
    }
    if (kLeaving == Leaving::kAfterTask)
      leave(waiter);
  }

  void wait(unsigned index, int round, int& created) {
    bool creates = index == 0;
    Waiter waiter{round, created};
    while (barrier.over.load(std::memory_order_acquire) != static_cast<uint64_t>(round)) {
      bool settled = creates ? task_done.load(std::memory_order_acquire) == round
                             : child_done.load(std::memory_order_acquire) >= waiter.created;
      if (!waiter.counted && settled) {
        waiter.counted = true;
        if (barrier.count_in(round, kMembers))
          return;
      }
      if (!creates)
        run_one(waiter);
      rl::yield(1, RL_INFO);
    }
  }

  void thread(unsigned index) {
    int created = 0;
    for (int round = 1; round <= kRounds; ++round) {
      if (index == 0)
        task.store(round, std::memory_order_release);
      wait(index, round, created);
      RL_ASSERT(effects[round](RL_INFO) == round && child_effects[round](RL_INFO) == round);
    }
  }
  void after() {
    RL_ASSERT(barrier.arrived.load(std::memory_order_relaxed) == 0);
    RL_ASSERT(barrier.over.load(std::memory_order_relaxed) == kRounds);
  }
};

} // namespace

int main() {
  constexpr int kTries = 100000;
  bool good = verified<Flat<Leaving::kAsWritten>>("flat barrier", kTries);
  good &=
      refuted<Flat<Leaving::kAsWritten>>("flat barrier without release", kTries, {.release = true});
  good &=
      refuted<Flat<Leaving::kAsWritten>>("flat barrier without acquire", kTries, {.acquire = true});
  good &= refuted<Flat<Leaving::kAlways>>("counted out of any round", kTries, {});
  good &= refuted<Flat<Leaving::kNever>>("never counted out", kTries, {});
  good &= refuted<Flat<Leaving::kAfterTask>>("counted out after the task", kTries, {});
  return good ? 0 : 1;
}
