// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A lock for a few instructions on rare paths. Zero is free.
#pragma once
#include <atomic>
#include <cstdint>

#include "sys/assert.h"
#include "sys/short_wait.h"

namespace xomp::sys {

class BriefLock {
public:
  void lock() {
    // Acquire pairs with the release in `unlock`.
    for (ShortWait wait; word.exchange(1, std::memory_order_acquire) != 0;) {
      // Only read while it is taken: many may wait for one that many take turns with. Relaxed: the
      // exchange decides.
      do
        wait.once();
      while (word.load(std::memory_order_relaxed) != 0);
    }
  }
  /// Acquire as in `lock`. Looks first: whoever holds it keeps its line.
  bool try_lock() {
    return word.load(std::memory_order_relaxed) == 0 &&
           word.exchange(1, std::memory_order_acquire) == 0;
  }
  void unlock() {
    XOMP_ASSERT(is_held());
    word.store(0, std::memory_order_release);
  }
  /// In a child of fork: whoever held it may be gone.
  void free_after_fork() { word.store(0, std::memory_order_release); }
  /// By whomever. For assertions.
  bool is_held() const { return word.load(std::memory_order_relaxed) != 0; }

private:
  std::atomic<uint32_t> word{0};
};

} // namespace xomp::sys
