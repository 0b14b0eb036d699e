// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether other programs compute on this one's processors, by clocks of the test's own.
#include "task/rivals.h"

#include <gtest/gtest.h>

namespace xomp {
namespace {

class RivalsTest : public testing::Test {
protected:
  static constexpr int kThreads = 4, kProcessors = 2;

  RivalsTest() {
    rivals.begins(kThreads);
    look();
  }
  void look() {
    rivals.look([&] { return now; }, [&] { return used; }, kProcessors);
  }
  /// Time passes in which the program has this part of its processors, then somebody looks.
  void pass(int64_t nanoseconds, int per_cent) {
    now += nanoseconds;
    used += nanoseconds * kProcessors * per_cent / 100;
    look();
  }

  int64_t now = 5'000'000'000, used = 0;
  Rivals rivals;
};

TEST_F(RivalsTest, NobodyIsSeenAtFirst) { EXPECT_FALSE(rivals.present()); }

TEST_F(RivalsTest, WhoHasAllProcessorsHasNoRivals) {
  for (int i = 0; i < 10; ++i)
    pass(Rivals::kWindow, 97);
  EXPECT_FALSE(rivals.present());
}

TEST_F(RivalsTest, WhatIsMissingHasGoneToOthers) {
  pass(Rivals::kWindow, 75); // half of one processor of two
  EXPECT_TRUE(rivals.present());
  pass(Rivals::kWindow, 98);
  EXPECT_FALSE(rivals.present());
}

TEST_F(RivalsTest, AWindowIsLongEnoughForTheKernelsClock) {
  pass(Rivals::kWindow / 2, 10);
  EXPECT_FALSE(rivals.present());
  pass(Rivals::kWindow / 2, 10);
  EXPECT_TRUE(rivals.present());
}

TEST_F(RivalsTest, WhoSleepsLeavesProcessorsOfItsOwnAccord) {
  rivals.falls_asleep();
  rivals.falls_asleep();
  rivals.falls_asleep();
  rivals.wakes();
  rivals.wakes();
  rivals.wakes();
  pass(Rivals::kWindow, 50); // three of four slept in it: one thread was left for two processors
  EXPECT_FALSE(rivals.present());
  pass(Rivals::kWindow, 50);
  EXPECT_TRUE(rivals.present());
}

TEST_F(RivalsTest, EnoughThatAreAwakeShowRivalsAllTheSame) {
  rivals.falls_asleep();
  rivals.falls_asleep();
  pass(Rivals::kWindow, 50);
  EXPECT_TRUE(rivals.present());
}

TEST_F(RivalsTest, WhatIsLongPastSaysNothing) {
  pass(Rivals::kStale, 10);
  EXPECT_FALSE(rivals.present());
}

TEST_F(RivalsTest, AreForgottenWhenNothingIsKnownOfThemForLong) {
  pass(Rivals::kWindow, 50);
  ASSERT_TRUE(rivals.present());
  for (int i = 0; i < 3; ++i)
    rivals.falls_asleep();
  for (int64_t waited = 0; waited < Rivals::kStale; waited += Rivals::kWindow) {
    EXPECT_TRUE(rivals.present());
    pass(Rivals::kWindow, 50);
  }
  EXPECT_FALSE(rivals.present());
}

TEST_F(RivalsTest, AChildOfForkCountsFromTheBeginning) {
  for (int i = 0; i < 3; ++i)
    rivals.falls_asleep();
  rivals.forget();
  pass(Rivals::kWindow, 50); // a window with three sleepers still
  pass(Rivals::kWindow, 50);
  EXPECT_TRUE(rivals.present());
}

} // namespace
} // namespace xomp
