// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A lock for a few instructions on rare paths: spins, then gives the processor away. Zero is free.
#pragma once
#include <sched.h>

#include <atomic>
#include <cstdint>

#include "sys/cpu.h"

namespace xomp::sys {

class BriefLock {
public:
  void lock() {
    // Acquire pairs with the release in `unlock`.
    for (int spins = 0; word.exchange(1, std::memory_order_acquire) != 0;) {
      // Only read while it is taken: many may wait for one that many take turns with. Relaxed: the
      // exchange decides.
      do {
        if (++spins < 100)
          pause();
        else
          sched_yield(); // the holder has lost its processor
      } while (word.load(std::memory_order_relaxed) != 0);
    }
  }
  /// Acquire as in `lock`. Looks first: whoever holds it keeps its line.
  bool try_lock() {
    return word.load(std::memory_order_relaxed) == 0 &&
           word.exchange(1, std::memory_order_acquire) == 0;
  }
  void unlock() { word.store(0, std::memory_order_release); }

private:
  std::atomic<uint32_t> word{0};
};

} // namespace xomp::sys
