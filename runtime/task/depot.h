// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Free blocks of one size on their way between the workers of a team: whoever runs tasks is left
// with the blocks of whoever creates them. They change hands by the magazine, so that one look at
// what is shared does for many tasks (Bonwick and Adams, "Magazines and Vmem", USENIX 2001,
// section 3). States and races: task/README.md.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "sys/assert.h"
#include "sys/brief_lock.h"
#include "sys/memory.h"

namespace xomp {

/// Free blocks, the one that it lies in besides.
struct Magazine {
  static constexpr uint32_t kRounds = 30;
  Magazine* next; ///< in the depot
  void* rounds[kRounds];
};

class Depot {
public:
  /// Keeps blocks of `size` bytes.
  constexpr explicit Depot(std::size_t size)
      : most(static_cast<uint32_t>(kMostBytes / (size * (Magazine::kRounds + 1)))) {}
  /// A hint.
  bool has_room() const { return magazines.load(std::memory_order_relaxed) < most; }
  /// False: there are enough, or another thread is at it. Nobody waits here for anybody, as the C
  /// library has an answer as well.
  bool put(Magazine& magazine) {
    if (!has_room() || !lock.try_lock())
      return false;
    magazine.next = newest;
    newest = &magazine;
    count(1);
    lock.unlock();
    return true;
  }
  /// Null: there is none, or another thread is at it.
  Magazine* take() {
    if (magazines.load(std::memory_order_relaxed) == 0 || !lock.try_lock())
      return nullptr;
    Magazine* magazine = newest;
    if (magazine) {
      newest = magazine->next;
      count(-1);
    }
    lock.unlock();
    return magazine;
  }
  /// Returns what is kept to the system, unless another thread is at it.
  void empty() {
    while (Magazine* magazine = take()) {
      for (void* block : magazine->rounds)
        sys::release(block);
      sys::release(magazine);
    }
  }
  /// In a child of fork: whoever held the lock may be gone, in the middle.
  void reset() {
    newest = nullptr;
    magazines.store(0, std::memory_order_relaxed);
    lock.free_after_fork();
  }

private:
  friend void stop_in_the_middle(Depot& depot); // tests/unit/block_test.cc
  static constexpr std::size_t kMostBytes = std::size_t{4} << 20;

  /// Under the lock. Relaxed: without it, it is a hint, and `most` a bound that a few more do not
  /// break.
  void count(int more) {
    uint32_t now = magazines.load(std::memory_order_relaxed);
    XOMP_ASSERT(lock.is_held() && (more > 0 || now > 0));
    magazines.store(now + static_cast<uint32_t>(more), std::memory_order_relaxed);
  }

  sys::BriefLock lock;
  std::atomic<uint32_t> magazines{0}; ///< in the list
  const uint32_t most;
  Magazine* newest = nullptr; ///< the rest of it through `next`
};

} // namespace xomp
