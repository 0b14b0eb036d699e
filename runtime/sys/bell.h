// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A bell: how one thread sleeps until another has news for it. The protocol, its races and why no
// wake-up is lost are in sys/README.md.
#pragma once
#include <sched.h>

#include <atomic>
#include <cstdint>

#include "sys/assert.h"
#include "sys/cpu.h"
#include "sys/delay.h"
#include "sys/futex.h"

namespace xomp::sys {

class alignas(kNoSharing) Bell {
public:
  /// Poster, after it has stored its news: wakes the sleeper if there is one.
  void ring() {
    // Orders the news before the look at `asleep`: the other half of the Dekker pair is in
    // `prepare`.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    delay();
    ring_after_fence();
  }
  /// As `ring`, for a poster with a sequentially consistent fence between its news and this. A
  /// read-modify-write of that order is none: on Arm and POWER the look may overtake its store.
  void ring_after_fence() {
    if (asleep.load(std::memory_order_relaxed) != 0) [[unlikely]]
      wake();
  }

  /// Whether the owner sleeps or is about to. Without a fence before it, only a hint.
  bool sleeping() const { return asleep.load(std::memory_order_relaxed) != 0; }

  /// Sleeper: announces that it will sleep. It must look for news once more before `sleep`.
  void prepare() {
    XOMP_ASSERT(!sleeping()); // it has cancelled the last time, or slept
    asleep.store(1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
  /// Sleeper: news was found after `prepare`.
  void cancel() { asleep.store(0, std::memory_order_relaxed); }
  /// Sleeper: sleeps until rung; returns at once if already rung since `prepare`.
  void sleep() {
    while (delay(), asleep.load(std::memory_order_acquire) != 0)
      futex_wait(asleep, 1);
  }

  /// Sleeps for so many nanoseconds at most.
  void sleep_at_most(int64_t nanoseconds) {
    delay();
    // Acquire as above; woken for any reason, the sleeper is awake afterwards.
    if (asleep.load(std::memory_order_acquire) != 0)
      futex_wait_at_most(asleep, 1, nanoseconds);
    asleep.store(0, std::memory_order_relaxed);
  }

  /// Sleeper, awake: whether it was rung from that processor; of a negative one nothing is known.
  bool was_rung_on(int processor) const {
    // Relaxed: ordered by `asleep`.
    return processor >= 0 && ringer.load(std::memory_order_relaxed) == processor;
  }

private:
  void wake() {
    // Of several posters only the one that clears the word pays for the system call.
    delay();
    ringer.store(sched_getcpu(), std::memory_order_relaxed); // advice
    if (asleep.exchange(0, std::memory_order_release) != 0)
      futex_wake(asleep, 1);
  }

  std::atomic<uint32_t> asleep{0};
  std::atomic<int> ringer{-1}; ///< processor of the thread that woke it last
};

} // namespace xomp::sys
