// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sys/turn_lock.h under the C++ memory model: one holder at a time, who sees what the last one
// wrote, and nobody sleeps for ever, however long turns and patience are.
#include "checked_std.h"

#include "sys/turn_lock.h"

namespace {

/// Draws how long it spins and what the time is.
struct Waiter {
  bool draw() { return rl::rand(2); }
  bool passes_by() { return some(); }
  bool hangs_on() { return some(); }
  bool looks() { return some(); }
  bool overtakes() { return !some(); }
  bool may_claim() { return draw(); }
  static uint32_t now() { return rl::rand(8); }
  static uint32_t turn() { return 4; }
  int processor() { return draw(); }
  void sleeps() { sleeper.sleep(); }
  bool some() {
    xomp::sys::yield();
    return left-- > 0 && draw();
  }
  uint32_t since = 0;
  int left = 3;
  xomp::sys::TurnSleeper& sleeper;
};

struct TurnLock : rl::test_suite<TurnLock, 3> {
  static constexpr int kRounds = 2;
  xomp::sys::TurnQueue queue;
  xomp::sys::TurnLock lock;
  xomp::sys::TurnSleeper sleepers[3]; // outlive their wake-ups
  rl::var<int> sum;

  void before() { sum(RL_INFO) = 0; }
  void thread(unsigned index) {
    for (int i = 0; i < kRounds; ++i) {
      if (!lock.try_at_once()) {
        Waiter waiter{.sleeper = sleepers[index]};
        lock.acquire(queue, waiter);
      }
      sum(RL_INFO) = sum(RL_INFO) + 1;
      if (!lock.release_at_once(queue))
        lock.release(queue, Waiter::now, Waiter::turn());
    }
  }
  void after() { RL_ASSERT(sum(RL_INFO) == 3 * kRounds); }
};

} // namespace

int main() {
  constexpr int kRuns = 100000;
  bool good = verified<TurnLock>("lock by turns", kRuns);
  good &= refuted<TurnLock>("lock by turns without release", kRuns, {.release = true});
  good &= refuted<TurnLock>("lock by turns without acquire", kRuns, {.acquire = true});
  good &= refuted<TurnLock>("lock by turns without fences", kRuns, {.fence = true});
  return good ? 0 : 1;
}
