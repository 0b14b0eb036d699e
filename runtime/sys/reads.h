// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When something that others may still be reading can be freed. A reader says when it begins and
// ends, to its own cache line and without a fence; whoever frees makes all threads pass one
// (asymmetric_fence.h) and then waits for reads that had begun. Protocol: sys/README.md.
#pragma once
#include <atomic>
#include <cstdint>

#include "sys/assert.h"
#include "sys/asymmetric_fence.h"
#include "sys/cpu.h"

namespace xomp::sys {

/// One thread's reads, one at a time, each brief.
class Reads {
public:
  /// By that thread. What has been taken out of its reach before somebody's heavy fence it does not
  /// find any more, or that thread finds this read begun.
  void begin() {
    uint32_t before = rounds.load(std::memory_order_relaxed);
    XOMP_ASSERT(before % 2 == 0);
    rounds.store(before + 1, std::memory_order_relaxed); // ordered by the fence
    light_fence();
  }
  void end() {
    uint32_t before = rounds.load(std::memory_order_relaxed);
    XOMP_ASSERT(before % 2 == 1);
    rounds.store(before + 1, std::memory_order_release); // what was read can be freed
  }

  /// By another thread, after `heavy_fence`: waits, for some microseconds, until a read that had
  /// begun is over. False: it is not; its thread may have lost its processor.
  bool are_over() const {
    // Acquire: pairs with the release in `end`.
    uint32_t before = rounds.load(std::memory_order_acquire);
    for (int tries = 0; before % 2 == 1; ++tries) {
      if (rounds.load(std::memory_order_acquire) != before)
        break;
      if (tries == kTries)
        return false;
      pause();
    }
    return true;
  }

  /// The child of a fork does not have the thread.
  void reset_after_fork() { rounds.store(0, std::memory_order_relaxed); }

private:
#ifdef XOMP_CHECKED_ORDERS
  static constexpr int kTries = 2;
#else
  static constexpr int kTries = 200;
#endif
  std::atomic<uint32_t> rounds{0}; ///< begun and ended; odd in a read
};

} // namespace xomp::sys
