// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sys/bell.h and sys/event_count.h under the C++ memory model: no wake-up is lost. A sleeper that
// nobody wakes is a deadlock.
#include "checked_std.h"

#include "sys/bell.h"
#include "sys/event_count.h"

namespace {

/// One sleeper, posters whose news it waits for; each wait has the form of task/wait_loop.h.
struct Bell : rl::test_suite<Bell, 3> {
  static constexpr int kPosters = 2;
  xomp::sys::Bell bell;
  std::atomic<int> news[kPosters]{};

  bool all_there() const {
    bool all = true;
    for (const auto& each : news)
      all &= each.load(std::memory_order_relaxed) != 0;
    return all;
  }
  void thread(unsigned index) {
    if (index < kPosters) {
      news[index].store(1, std::memory_order_relaxed);
      bell.ring();
      return;
    }
    while (!all_there()) {
      bell.prepare();
      if (all_there())
        return bell.cancel();
      bell.sleep();
    }
  }
};

/// What was written before the news is seen by a sleeper that reads the news with acquire.
struct EventCount : rl::test_suite<EventCount, 3> {
  struct Impatient {
    bool spin() { return false; }
    void sleeps() {}
    void wakes() {}
  };
  xomp::sys::EventCount events;
  std::atomic<int> condition{0};
  rl::var<int> content;

  void thread(unsigned index) {
    if (index == 0) {
      content(RL_INFO) = 7;
      condition.store(1, std::memory_order_release);
      events.notify();
      return;
    }
    Impatient spin_policy;
    events.await([&] { return condition.load(std::memory_order_acquire) != 0; }, spin_policy);
    RL_ASSERT(content(RL_INFO) == 7);
  }
};

} // namespace

int main() {
  constexpr int kRuns = 100000;
  bool good = verified<Bell>("bell", kRuns);
  good &= refuted<Bell>("bell without fences", kRuns, {.fence = true});
  good &= verified<EventCount>("event count", kRuns);
  good &= refuted<EventCount>("event count without fences", kRuns, {.fence = true});
  good &= refuted<EventCount>("event count without release", kRuns, {.release = true});
  return good ? 0 : 1;
}
