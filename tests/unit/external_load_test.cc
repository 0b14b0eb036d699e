// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether other programs compute on this one's processors, by clocks of the test's own.
#include "task/external_load.h"

#include <gtest/gtest.h>

namespace xomp {
namespace {

class ExternalLoadTest : public testing::Test {
protected:
  static constexpr int kProcessors = 2;

  ExternalLoadTest() { look(); }
  void look() {
    external_load.look([&] { return now; }, [&] { return used; }, threads, kProcessors);
  }
  /// Time passes in which the program has this part of its processors, then somebody looks.
  void pass(int64_t nanoseconds, int per_cent) {
    now += nanoseconds;
    used += nanoseconds * kProcessors * per_cent / 100;
    look();
  }

  int64_t now = 5'000'000'000, used = 0;
  int threads = 4;
  ExternalLoad external_load;
};

TEST_F(ExternalLoadTest, NobodyIsSeenAtFirst) { EXPECT_FALSE(external_load.present()); }

TEST_F(ExternalLoadTest, AProgramWithAllProcessorsSeesNoLoad) {
  for (int i = 0; i < 10; ++i)
    pass(ExternalLoad::kWindow, 97);
  EXPECT_FALSE(external_load.present());
}

TEST_F(ExternalLoadTest, WhatIsMissingHasGoneToOthers) {
  pass(ExternalLoad::kWindow, 75); // half of one processor of two
  EXPECT_TRUE(external_load.present());
  pass(ExternalLoad::kWindow, 98);
  EXPECT_FALSE(external_load.present());
}

TEST_F(ExternalLoadTest, AWindowIsLongEnoughForTheKernelsClock) {
  pass(ExternalLoad::kWindow / 2, 10);
  EXPECT_FALSE(external_load.present());
  pass(ExternalLoad::kWindow / 2, 10);
  EXPECT_TRUE(external_load.present());
}

TEST_F(ExternalLoadTest, WhoSleepsLeavesProcessorsOfItsOwnAccord) {
  external_load.falls_asleep();
  external_load.wakes();
  pass(ExternalLoad::kWindow, 50); // one of four slept in it
  EXPECT_FALSE(external_load.present());
  pass(ExternalLoad::kWindow, 50);
  EXPECT_TRUE(external_load.present());
}

TEST_F(ExternalLoadTest, TwoAwakeForEachProcessorStillShowTheLoad) {
  threads = 6;
  external_load.falls_asleep();
  external_load.falls_asleep();
  pass(ExternalLoad::kWindow, 50);
  EXPECT_TRUE(external_load.present());
}

TEST_F(ExternalLoadTest, FewerMayAllBeOnOneProcessor) {
  threads = 6;
  external_load.falls_asleep();
  external_load.falls_asleep();
  external_load.falls_asleep();
  pass(ExternalLoad::kWindow, 50);
  EXPECT_FALSE(external_load.present());
}

TEST_F(ExternalLoadTest, WhatIsLongPastSaysNothing) {
  pass(ExternalLoad::kStale, 10);
  EXPECT_FALSE(external_load.present());
}

TEST_F(ExternalLoadTest, AreForgottenWhenNothingIsKnownOfThemForLong) {
  pass(ExternalLoad::kWindow, 50);
  ASSERT_TRUE(external_load.present());
  for (int i = 0; i < 3; ++i)
    external_load.falls_asleep();
  for (int64_t waited = 0; waited < ExternalLoad::kStale; waited += ExternalLoad::kWindow) {
    EXPECT_TRUE(external_load.present());
    pass(ExternalLoad::kWindow, 50);
  }
  EXPECT_FALSE(external_load.present());
}

TEST_F(ExternalLoadTest, AChildOfForkCountsFromTheBeginning) {
  for (int i = 0; i < 3; ++i)
    external_load.falls_asleep();
  external_load.reset_after_fork();
  pass(ExternalLoad::kWindow, 50); // a window with three sleepers still
  pass(ExternalLoad::kWindow, 50);
  EXPECT_TRUE(external_load.present());
}

} // namespace
} // namespace xomp
