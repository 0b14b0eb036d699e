// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bound of the priorities in a queue (sched/urgency.h) under the C++ memory model: when
// everything has come to rest, it is no lower than what is in the queue.
#include "checked_std.h"

#include "sched/urgency.h"
#include "sys/memory.h"

namespace {

/// A producer, and a consumer that holds the queue all the time.
struct Bound : rl::test_suite<Bound, 2> {
  static constexpr uint32_t kTasks = 4;
  static constexpr int kLooks = 4;
  static constexpr int32_t kPriorities[kTasks] = {1, 0, 2, 1};
  std::atomic<uint32_t> tail{0};
  bool taken[kTasks] = {};
  xomp::Urgency* urgency = nullptr;

  void before() { urgency = xomp::sys::create<xomp::Urgency>(); }
  void after() {
    for (uint32_t at = 0; at < kTasks; ++at)
      RL_ASSERT(taken[at] || urgency->bound() >= kPriorities[at]);
    xomp::sys::destroy(urgency);
  }
  void search() {
    int32_t bound = urgency->bound();
    if (bound == 0)
      return;
    uint32_t end = tail.load(std::memory_order_acquire), best = end;
    int32_t highest = 0;
    for (uint32_t at = 0; at < end; ++at) {
      if (!taken[at] && kPriorities[at] > highest) {
        best = at;
        highest = kPriorities[at];
      }
    }
    if (highest < bound)
      urgency->lower(bound, highest, [&] { return tail.load(std::memory_order_acquire) != end; });
    if (highest)
      taken[best] = true;
  }
  void thread(unsigned index) {
    if (index == 1) {
      for (int n = 0; n < kLooks; ++n)
        search();
      return;
    }
    for (uint32_t n = 0; n < kTasks; ++n) {
      tail.store(n + 1, std::memory_order_release);
      if (kPriorities[n])
        urgency->put(kPriorities[n]);
    }
  }
};

} // namespace

int main() {
  constexpr int kRuns = 50000;
  bool good = verified<Bound>("urgency", kRuns);
  good &= refuted<Bound>("urgency without fences", kRuns, {.fence = true});
  return good ? 0 : 1;
}
