// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The window: which heights of the stack and which bodies are below it, what raises it, how idle
// workers lower it, and how a creator's rations end.
#include "sched/window.h"

#include <gtest/gtest.h>

namespace xomp {
namespace {

constexpr uintptr_t kLimit = 1 << 20;
constexpr int64_t kSmall = sys::kTicksOfHandOver / 10, kLarge = sys::kTicksOfHandOver * 1000;
constexpr uintptr_t kHeight = 4096, kBody = 0x401230;

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
  bool see(int64_t ticks, bool taken, int times) {
    bool small = false;
    for (int i = 0; i < times; ++i)
      small = too_small(sizes, kHeight, ticks, taken);
    return small;
  }
  bool beneath(int i, uintptr_t stack, uintptr_t body = kBody) {
    return beneath_window(ports[i], stack, body);
  }
  uintptr_t window(int i) const { return ports[i].window.load(); }

  SizeTable sizes;
  Port ports[3];
  Port* peers[3];
};

TEST_F(WindowTest, EverythingIsOfferedAtFirst) {
  for (uintptr_t stack : {kLimit - 4096, kLimit, kLimit + 1, kLimit + 4096})
    EXPECT_FALSE(beneath(0, stack));
}

TEST_F(WindowTest, WhatIsCreatedAtOrBelowASmallTasksHeightIsBeneath) {
  raise_window(ports[0], height(ports[0], kLimit + 500), kBody);
  EXPECT_TRUE(beneath(0, kLimit));
  EXPECT_TRUE(beneath(0, kLimit + 500));
  EXPECT_FALSE(beneath(0, kLimit + 501));
  raise_window(ports[0], height(ports[0], kLimit + 100), kBody);
  EXPECT_TRUE(beneath(0, kLimit + 500)) << "raising never lowers";
}

TEST_F(WindowTest, ABodyThatWasNeverMeasuredIsOffered) {
  raise_window(ports[0], height(ports[0], kLimit + 500), kBody);
  EXPECT_FALSE(beneath(0, kLimit, kBody + 16));
  EXPECT_FALSE(beneath(0, kLimit, kBody + 16 * kSmallBodies)) << "in the same slot";
}

TEST_F(WindowTest, ABodyIsKnownWhenItWasMeasuredOftenAndNeverLarge) {
  auto know = [&](int64_t ticks, int times, uintptr_t body = kBody) {
    bool known = false;
    for (int i = 0; i < times; ++i)
      known = know_body(ports[0], body, ticks);
    return known;
  };
  EXPECT_FALSE(know(kSmall, kKnown - 1));
  EXPECT_FALSE(know(kTicksOfLarge + 1, 1)) << "it may wait for its creator";
  EXPECT_FALSE(know(kSmall, kKnown - 1));
  EXPECT_FALSE(know(kSmall, kKnown - 1, kBody + 16)) << "each body for itself";
  EXPECT_TRUE(know(kSmall, 1));
  EXPECT_TRUE(know(kTicksOfLarge + 1, 1)) << "at the root of a recursion";
  open_window(ports[0]);
  EXPECT_FALSE(know(kSmall, 1));
}

TEST_F(WindowTest, ADeepStackIsNeverBeneath) {
  raise_window(ports[0], height(ports[0], kLimit - 64), kBody);
  EXPECT_EQ(window(0), 0u);
  raise_window(ports[0], 4096, kBody);
  EXPECT_FALSE(beneath(0, kLimit - 1));
}

TEST_F(WindowTest, OnlyTheOwnerCopiesTheWindowForTheFastPath) {
  raise_window(ports[0], 500, kBody);
  EXPECT_EQ(ports[0].shortcut.load(), 0u);
  EXPECT_TRUE(follow(ports[0]));
  EXPECT_EQ(ports[0].shortcut.load(), 501u);
  EXPECT_FALSE(follow(ports[0])) << "nothing has changed";
  lower_window(ports[0], 100);
  EXPECT_EQ(ports[0].shortcut.load(), 0u);
  EXPECT_TRUE(follow(ports[0]));
  EXPECT_EQ(ports[0].shortcut.load(), 401u);
}

TEST_F(WindowTest, WhoBecomesHungryRecallsTheCreators) {
  for (int i : {0, 1}) {
    raise_window(ports[i], 500, kBody);
    follow(ports[i]);
  }
  cut_rations(ports[1]);
  for (int i : {0, 1}) {
    EXPECT_EQ(ports[i].shortcut.load(), 0u);
    EXPECT_EQ(window(i), 501u) << "no word about sizes";
    EXPECT_TRUE(follow(ports[i]));
    EXPECT_EQ(ports[i].shortcut.load(), 501u);
  }
}

TEST_F(WindowTest, AFewSmallTasksSayNothingYet) {
  EXPECT_FALSE(see(kSmall, true, Sizes::kEnough - 1));
  EXPECT_TRUE(see(kSmall, true, 1));
}

TEST_F(WindowTest, AFewHugeTasksMakeUpForManySmallOnes) {
  for (int round = 0; round < 20; ++round) {
    EXPECT_FALSE(see(kLarge, true, 1));
    EXPECT_FALSE(see(kSmall, true, 300));
  }
}

TEST_F(WindowTest, OtherHeightsAreMeasuredApart) {
  see(kLarge, true, 100);
  for (uint32_t i = 0; i < Sizes::kEnough; ++i)
    too_small(sizes, kHeight + 1024, kSmall, true);
  EXPECT_TRUE(too_small(sizes, kHeight + 1024, kSmall, true));
  EXPECT_FALSE(too_small(sizes, kHeight, kSmall, true));
}

TEST_F(WindowTest, ATaskTakenBackMustBeLargerThanATakenOne) {
  int64_t between = sys::kTicksOfHandOver * 2;
  EXPECT_FALSE(see(between, true, 200));
  EXPECT_TRUE(see(between, false, 1));
}

TEST_F(WindowTest, AnIdleWorkerAsksOneAfterTheOtherForMore) {
  for (int i = 0; i < 3; ++i)
    raise_window(ports[i], 100000, kBody);
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

TEST(Rations, TheirNumberFollowsTheTimeThatTheyLast) {
  Rations rations;
  int64_t now = 1000;
  rations.renew(now, false);
  EXPECT_EQ(rations.left, Rations::kLeast);
  for (int i = 0; i < 20; ++i)
    rations.renew(now += int64_t{rations.given} * 50, false);
  EXPECT_GT(rations.left, Rations::kLeast);
  EXPECT_LE(rations.left * int64_t{50}, Rations::kEvery) << "they end within the time of hunger";
  int32_t many = rations.left;
  rations.renew(now + int64_t{rations.given} * 50, true);
  EXPECT_LT(rations.left, many) << "and sooner while somebody may sleep";
}

TEST(Rations, TasksThatHaveGrownRaiseADoubtAboutTheWindowNowAndThen) {
  Rations rations;
  int64_t now = Rations::kExamineEvery * 2;
  rations.renew(now, false);
  EXPECT_TRUE(rations.renew(now += rations.given * kLarge, false));
  EXPECT_FALSE(rations.renew(now += rations.given * sys::kTicksOfHandOver * 2, false))
      << "not so soon";
  now += Rations::kExamineEvery * 2;
  rations.renew(now, false);
  EXPECT_FALSE(rations.renew(now += rations.given, false)) << "small ones do not";
}

TEST(Rations, TheHungryAreFedOnceInAWhile) {
  Rations rations;
  EXPECT_TRUE(rations.feeds(5000, 1000));
  EXPECT_FALSE(rations.feeds(5999, 1000));
  EXPECT_TRUE(rations.feeds(6000, 1000));
}

} // namespace
} // namespace xomp
