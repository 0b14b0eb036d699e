// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An event count: threads wait until a condition holds, awake first and then asleep, and whoever
// makes it true notifies. One count serves many conditions: a waiter says on which channel it
// listens, and only the sleepers of the notified channels are woken. Why no wake-up is lost:
// sys/README.md, "Event counts".
#pragma once
#include <atomic>
#include <cstdint>

#include "sys/futex.h"

namespace xomp::sys {

/// A set of channels, one per bit.
using Channels = uint32_t;
inline constexpr Channels kAllChannels = ~Channels{0};
inline constexpr Channels channel_of(uint64_t key) { return Channels{1} << (key % 32); }

class EventCount {
public:
  /// Returns when `ready()` holds; it must read with acquire what the notifier wrote with release.
  /// `spin_policy.spin()` spends a moment, or says that it is time to sleep; `sleeps()` and
  /// `wakes()` are told.
  template <class Ready, class SpinPolicy>
  void await(Ready ready, SpinPolicy& spin_policy, Channels channels = kAllChannels) {
    while (!ready()) {
      if (spin_policy.spin())
        continue;
      spin_policy.sleeps();
      sleep_until(ready, channels);
      return spin_policy.wakes();
    }
  }

  /// Asleep until `ready()` may hold, but no longer than so many nanoseconds.
  template <class Ready> void nap(Ready ready, int64_t nanoseconds) {
    sleepers.fetch_add(1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst); // as in `sleep_until`
    uint32_t seen = events.load(std::memory_order_acquire);
    if (!ready())
      futex_wait_at_most(events, seen, nanoseconds);
    sleepers.fetch_sub(1, std::memory_order_relaxed);
  }

  /// Notifier, after it has made a condition true.
  void notify(Channels channels = kAllChannels) {
    // Orders the condition before the look at `sleepers`: the other half of the Dekker pair is in
    // `sleep_until`.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (sleepers.load(std::memory_order_relaxed) == 0) [[likely]]
      return;
    events.fetch_add(1, std::memory_order_release);
    futex_wake_channels(events, channels);
  }

private:
  template <class Ready> [[gnu::noinline]] void sleep_until(Ready ready, Channels channels) {
    sleepers.fetch_add(1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    for (;;) {
      uint32_t seen = events.load(std::memory_order_acquire);
      if (ready())
        break;
      futex_wait_channels(events, seen, channels);
    }
    sleepers.fetch_sub(1, std::memory_order_relaxed);
  }

  std::atomic<uint32_t> events{0};
  std::atomic<uint32_t> sleepers{0};
};

} // namespace xomp::sys
