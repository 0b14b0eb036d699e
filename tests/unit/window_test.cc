// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The window: which heights of the stack are below it, what raises it and how idle workers lower
// it.
#include "sched/window.h"

#include <gtest/gtest.h>

namespace xomp {
namespace {

constexpr uintptr_t kLimit = 1 << 20;
constexpr int64_t kSmall = sys::kTicksOfHandOver / 10, kLarge = sys::kTicksOfHandOver * 1000;

class WindowTest : public testing::Test {
protected:
  void SetUp() override {
    for (int i = 0; i < 3; ++i) {
      peers[i] = &ports[i];
      ports[i].id = i;
      ports[i].count = 3;
      ports[i].peers = peers;
      ports[i].stack_limit = kLimit;
      open_window(ports[i]);
    }
  }
  void see(int64_t ticks, bool taken, int times) {
    for (int i = 0; i < times; ++i)
      too_small(ports[0], ticks, taken);
  }
  uintptr_t window(int i) const { return ports[i].window.load(); }

  Port ports[3];
  Port* peers[3];
};

TEST_F(WindowTest, EverythingIsOfferedAtFirst) {
  for (uintptr_t stack : {kLimit - 4096, kLimit, kLimit + 1, kLimit + 4096})
    EXPECT_FALSE(beneath_window(ports[0], stack));
}

TEST_F(WindowTest, WhatIsCreatedAtOrBelowASmallTasksHeightIsBeneath) {
  raise_window(ports[0], height(ports[0], kLimit + 500));
  EXPECT_TRUE(beneath_window(ports[0], kLimit));
  EXPECT_TRUE(beneath_window(ports[0], kLimit + 500));
  EXPECT_FALSE(beneath_window(ports[0], kLimit + 501));
  raise_window(ports[0], height(ports[0], kLimit + 100));
  EXPECT_TRUE(beneath_window(ports[0], kLimit + 500)) << "raising never lowers";
}

TEST_F(WindowTest, ADeepStackIsNeverBeneath) {
  raise_window(ports[0], height(ports[0], kLimit - 64));
  EXPECT_EQ(window(0), 0u);
  raise_window(ports[0], 4096);
  EXPECT_FALSE(beneath_window(ports[0], kLimit - 1));
}

TEST_F(WindowTest, TheFastPathSeesNothingOfAPortThatIsAlwaysOpen) {
  ports[1].always_open = true;
  for (int i : {0, 1})
    raise_window(ports[i], 500);
  EXPECT_EQ(ports[0].shortcut.load(), 501u);
  EXPECT_EQ(ports[1].shortcut.load(), 0u);
  EXPECT_TRUE(beneath_window(ports[1], kLimit + 500));
  lower_window(ports[0], 100);
  EXPECT_EQ(ports[0].shortcut.load(), 401u);
}

TEST_F(WindowTest, OneSmallTaskSaysNothingYet) {
  EXPECT_FALSE(too_small(ports[0], kSmall, true));
  see(kSmall, true, 200);
  EXPECT_TRUE(too_small(ports[0], kSmall, true));
}

TEST_F(WindowTest, AFewHugeTasksMakeUpForManySmallOnes) {
  for (int round = 0; round < 20; ++round) {
    see(kSmall, true, 60);
    EXPECT_FALSE(too_small(ports[0], kLarge, true));
    EXPECT_FALSE(too_small(ports[0], kSmall, true));
  }
}

TEST_F(WindowTest, ATaskTakenBackMustBeLargerThanATakenOne) {
  int64_t between = sys::kTicksOfHandOver * 2;
  see(between, true, 200);
  EXPECT_FALSE(too_small(ports[0], between, true));
  EXPECT_TRUE(too_small(ports[0], between, false));
}

TEST_F(WindowTest, AnIdleWorkerAsksOneAfterTheOtherForMore) {
  for (int i = 0; i < 3; ++i)
    raise_window(ports[i], 100000);
  Appetite appetite;
  uint32_t looks = 0;
  while (window(1) == 100001 || window(2) == 100001) {
    appetite.grows(ports[0]);
    ASSERT_LT(++looks, 1000u);
  }
  EXPECT_EQ(window(0), 100001u) << "its own is no help";
  for (int i = 0; i < 100000; ++i)
    appetite.grows(ports[0]);
  EXPECT_EQ(window(1), 0u);
  EXPECT_EQ(window(2), 0u);
}

TEST_F(WindowTest, BeforeItSleepsAWorkerAsksAllForEverything) {
  for (int i = 0; i < 3; ++i)
    raise_window(ports[i], 100000);
  Appetite appetite;
  appetite.ask_all(ports[1]);
  EXPECT_EQ(window(0), 0u);
  EXPECT_EQ(window(2), 0u);
}

} // namespace
} // namespace xomp
