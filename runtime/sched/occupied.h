// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which workers of a large team may have something in their queues, so that a worker in search of a
// task looks at these and not at hundreds that are empty. Only a hint: whoever finds a queue empty
// takes its bit away and looks again, but as putting has no fence, the bit may stay away from a
// queue into which something was put at that moment, until more is put there. Before a worker
// sleeps and when it was called it looks at all queues, and now and then where it finds nothing; so
// nothing rests on the hint but time.
#pragma once
#include <atomic>
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
    remove_all();
    for (int id = 0; id < workers; ++id)
      note(id);
  }

  /// Its queue was found empty. False: that was known; otherwise the caller looks again.
  bool clear(int id) {
    if (!has(id))
      return false;
    words[id / 64].fetch_and(~bit(id), std::memory_order_relaxed);
    // The look comes after it: most of what was put meanwhile is seen.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    return true;
  }
};

} // namespace xomp
