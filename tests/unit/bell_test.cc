// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bell between threads. A lost wake-up is a test that does not end; the protocol itself is
// verified by tests/models/bell.pml. xomp-test: timeout=60
#include "sys/bell.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

namespace xomp::sys {
namespace {

TEST(Bell, SleepReturnsAtOnceWhenRungSincePrepare) {
  Bell bell;
  bell.prepare();
  bell.ring();
  bell.sleep();
}

TEST(Bell, RingingAnAwakeOwnerIsNotRemembered) {
  Bell bell;
  bell.ring();
  bell.prepare();
  std::atomic<bool> awake{false};
  std::thread owner([&] {
    bell.sleep();
    awake = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(awake);
  bell.ring();
  owner.join();
  EXPECT_TRUE(awake);
}

TEST(Bell, CancelTakesTheAnnouncementBack) {
  Bell bell;
  bell.prepare();
  bell.cancel();
  bell.sleep(); // not announced: nothing to wait for
}

/// What a waiting worker does; see task/wait_loop.h.
template <class Done> void wait(Bell& bell, Done done) {
  while (!done()) {
    bell.prepare();
    if (done())
      return bell.cancel();
    bell.sleep();
  }
}

// The counters are relaxed on purpose: only the bell's fences keep news and look apart.
TEST(Bell, NoNewsIsLostBetweenManyPostersAndOneSleeper) {
  constexpr int kPosters = 3;
  constexpr long kNews = 3000;
  Bell bell;
  std::atomic<long> news[kPosters]{}, seen{0};
  std::vector<std::thread> posters;
  for (int i = 0; i < kPosters; ++i) {
    posters.emplace_back([&, i] {
      for (long n = 1; n <= kNews; ++n) {
        news[i].store(n, std::memory_order_relaxed);
        bell.ring();
        while (n % 16 == 0 && seen.load(std::memory_order_relaxed) < n)
          std::this_thread::yield();
      }
    });
  }
  for (long n = 1; n <= kNews; ++n) {
    wait(bell, [&] {
      for (auto& word : news) {
        if (word.load(std::memory_order_relaxed) < n)
          return false;
      }
      return true;
    });
    seen.store(n, std::memory_order_relaxed);
  }
  for (std::thread& poster : posters)
    poster.join();
}

TEST(Bell, TwoThreadsWakeEachOtherInTurn) {
  constexpr long kTurns = 5000;
  Bell bells[2];
  std::atomic<long> turn{0};
  auto play = [&](int me) {
    for (long n = me; n < kTurns; n += 2) {
      wait(bells[me], [&] { return turn.load(std::memory_order_relaxed) == n; });
      turn.store(n + 1, std::memory_order_relaxed);
      bells[1 - me].ring();
    }
  };
  std::thread other(play, 1);
  play(0);
  other.join();
  EXPECT_EQ(turn, kTurns);
}

} // namespace
} // namespace xomp::sys
