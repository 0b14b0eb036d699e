// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which workers of a large team may have something in their queues, so that a worker in search of a
// task looks at these and not at hundreds that are empty. Only a hint: whoever finds a queue empty
// takes its bit away and looks again, but as putting has no fence, the bit may stay away from a
// queue into which something was put at that moment, until more is put there. Before a worker
// sleeps and when it was called it looks at all queues, and now and then where it finds nothing; so
// nothing rests on the hint but time.
#pragma once
#include <atomic>
#include <bit>
#include <cstdint>

#include "sched/worker_set.h"

namespace xomp {

class Occupied : public WorkerSet {
public:
  /// A team of no more looks at all queues; nobody notes anything.
  static constexpr int kWorthIt = 4;

  /// For so many workers, all of which may have something. Nobody may be using it.
  void reset(int workers) {
    reserve(workers);
    for (int word = 0; word < count; ++word)
      words[word].store(0, std::memory_order_relaxed);
    for (int id = 0; id < workers; ++id)
      note(id);
  }

  /// Worker `id` has put something. Writes nothing as long as the others know. Relaxed, as all
  /// accesses here: nobody concludes anything about the queue itself.
  void note(int id) {
    if (!(words[id / 64].load(std::memory_order_relaxed) & bit(id)))
      words[id / 64].fetch_or(bit(id), std::memory_order_relaxed);
  }
  /// Its queue was found empty. False: that was known; otherwise the caller looks again.
  bool clear(int id) {
    if (!(words[id / 64].load(std::memory_order_relaxed) & bit(id)))
      return false;
    words[id / 64].fetch_and(~bit(id), std::memory_order_relaxed);
    // The look comes after it: most of what was put meanwhile is seen.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    return true;
  }
  /// Calls `visit(id)` for those that may have something, in the order of their ids from `first` on
  /// and then from 0, until it returns true. Whether it did.
  template <class Visit> bool visit_from(int first, Visit visit) const {
    uint64_t from = ~(bit(first) - 1);
    for (int n = 0, word = first / 64; n <= count; ++n, word = word + 1 < count ? word + 1 : 0) {
      uint64_t part = n == 0 ? from : n == count ? ~from : ~uint64_t{0};
      uint64_t set = words[word].load(std::memory_order_relaxed) & part;
      for (; set; set &= set - 1) {
        if (visit(word * 64 + std::countr_zero(set)))
          return true;
      }
    }
    return false;
  }
};

} // namespace xomp
