// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// xomp-test: timeout=60
#include "sys/event_count.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace xomp::sys {
namespace {

struct Rounds {
  bool spin() { return left-- > 0; }
  void sleeps() {}
  void wakes() {}
  int64_t left;
};

// Threads pass a token around a ring, asleep for most of the time: one lost wake-up and the test
// hangs.
void pass_token(int threads, int rounds, int64_t spins) {
  EventCount events;
  std::atomic<uint64_t> token{0};
  auto member = [&](uint64_t id) {
    for (int round = 0; round < rounds; ++round) {
      uint64_t mine = static_cast<uint64_t>(round) * threads + id;
      Rounds rounds{spins};
      events.await([&] { return token.load(std::memory_order_acquire) == mine; }, rounds,
                   channel_of(mine));
      token.store(mine + 1, std::memory_order_release);
      events.notify(channel_of(mine + 1));
    }
  };
  std::vector<std::thread> members;
  for (int id = 0; id < threads; ++id)
    members.emplace_back(member, id);
  for (std::thread& thread : members)
    thread.join();
  EXPECT_EQ(token.load(), static_cast<uint64_t>(threads) * rounds);
}

TEST(EventCount, LosesNoWakeUpWithoutSpinning) { pass_token(2, 20000, 0); }
TEST(EventCount, LosesNoWakeUpAtTheEdgeOfSpinning) { pass_token(3, 5000, 20); }
TEST(EventCount, ServesMoreWaitersThanChannels) { pass_token(40, 200, 0); }

TEST(EventCount, WakesEverybodyOnAllChannels) {
  EventCount events;
  std::atomic<bool> open{false};
  std::vector<std::thread> waiters;
  for (int id = 0; id < 8; ++id)
    waiters.emplace_back([&, id] {
      Rounds rounds{0};
      events.await([&] { return open.load(std::memory_order_acquire); }, rounds, channel_of(id));
    });
  open.store(true, std::memory_order_release);
  events.notify();
  for (std::thread& thread : waiters)
    thread.join();
}

} // namespace
} // namespace xomp::sys
