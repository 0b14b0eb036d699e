// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The words of a barrier that counts its members in one place. The barrier is the team layer's
// (team/README.md); in a flat one a worker that begins a task takes itself out of the count.
#pragma once
#include <atomic>
#include <cstdint>

#include "sys/assert.h"
#include "sys/cpu.h"
#include "sys/delay.h"

namespace xomp {

/// One instance of the central or of the flat barrier; a team has no use for both.
struct SharedBarrier {
  /// Members that have come, which only grows; flat: those that have, and have nothing to do.
  alignas(sys::kCacheLine) std::atomic<uint64_t> arrived{0};
  /// The last round that is over.
  alignas(sys::kCacheLine) std::atomic<uint64_t> over{0};

  /// Flat: one more of the members has nothing to do. True: none has, and the round is over.
  bool count_in(uint64_t round, int members) {
    // Acquire-release: the thread that is counted last sees everything that was done before the
    // others were.
    uint64_t settled = 1 + arrived.fetch_add(1, std::memory_order_acq_rel);
    XOMP_ASSERT(settled <= static_cast<uint32_t>(members));
    if (settled != static_cast<uint32_t>(members))
      return false;
    // Relaxed: nobody comes to the next round before having seen that this one is over.
    arrived.store(0, std::memory_order_relaxed);
    sys::delay();
    // Release: what this member has seen is seen by all.
    over.store(round, std::memory_order_release);
    return true;
  }
  /// Flat: a worker that is counted in `round` has a task. Either whoever that task keeps from
  /// being settled is not counted, and this round not over; or the task was created after this
  /// round, and the count is another round's. Relaxed, both: the worker has acquired the task, and
  /// with it that the round is over if its creator had seen that; and whoever is counted because
  /// the task is done is so afterwards.
  void count_out(uint64_t round) {
    if (over.load(std::memory_order_relaxed) < round)
      arrived.fetch_sub(1, std::memory_order_relaxed);
  }
};

} // namespace xomp
