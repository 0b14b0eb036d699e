// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How urgent the tasks in a worker's queue are, so that a search for the most urgent one ends where
// it has found it, and is not made where there is none (OpenMP 5.2, 12.4: priority). A bound:
// raised by the worker after it has put a task, lowered by whoever holds the queue and has looked
// at all of it.
//
// A task is put while the bound is lowered: fences on both sides. Either the worker sees the lower
// bound, and raises it, or whoever has lowered it sees that the queue has changed, and takes it
// back.
#pragma once
#include <atomic>
#include <cstdint>

namespace xomp {

class Urgency {
public:
  /// No task that was put has a higher priority, but perhaps one that is just being put. 0: none is
  /// urgent.
  int32_t bound() const { return most.load(std::memory_order_relaxed); }

  /// The worker, after it has put a task of this priority.
  void put(int32_t priority) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    raise(priority);
  }

  /// The thread that holds the queue has found nothing above `highest` in it. `changed`: whether it
  /// holds something that was not looked at.
  template <class Changed> void lower(int32_t bound, int32_t highest, Changed changed) {
    // Relaxed, as everywhere here: a thread that finds the task needs no more than the queue's
    // orders.
    if (!most.compare_exchange_strong(bound, highest, std::memory_order_relaxed))
      return; // raised meanwhile
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (changed())
      raise(bound);
  }

private:
  void raise(int32_t priority) {
    int32_t now = most.load(std::memory_order_relaxed);
    while (now < priority && !most.compare_exchange_weak(now, priority, std::memory_order_relaxed))
      continue;
  }

  std::atomic<int32_t> most{0};
};

} // namespace xomp
