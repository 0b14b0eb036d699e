// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When members of a dynamic loop leave its counter to one another.
#include "worksharing/turns.h"

#include <gtest/gtest.h>

namespace xomp {
namespace {

constexpr int64_t kFree = kUncontendedTicks;

TEST(Turns, OneThatIsAloneDoesNotRest) {
  EXPECT_FALSE(slower_together(64, 64, 64 * kFree, kFree));
  EXPECT_FALSE(slower_together(64, 80, 64 * 20 * kFree, 19 * kFree)) << "hardly anybody else";
}

TEST(Turns, MembersThatOnlyWaitForTheCounterDo) {
  // Each waits for five times what the counter costs alone: two get two fifths of what one would.
  EXPECT_TRUE(slower_together(64, 128, 64 * 5 * kFree, 5 * kFree));
  EXPECT_TRUE(slower_together(16, 32, 16 * 5 * kFree, 5 * kFree)) << "after a rest";
  EXPECT_TRUE(slower_together(64, 64 * 8, 64 * 20 * kFree, 20 * kFree)) << "eight of them";
}

TEST(Turns, MembersThatHaveWorkDoNot) {
  // The same wait, but ten times as much of their own.
  EXPECT_FALSE(slower_together(64, 128, 64 * 15 * kFree, 5 * kFree));
  EXPECT_FALSE(slower_together(64, 128, 64 * 100 * kFree, 2 * kFree));
  EXPECT_FALSE(slower_together(64, 128, 64 * 2 * kFree, kFree)) << "two get as much as one";
}

TEST(Turns, AFirstLookOrAClockThatRunsBackDecidesNothing) {
  // At the first look all that has passed since the machine was started counts.
  constexpr int64_t kYears = int64_t{1} << 62;
  EXPECT_FALSE(slower_together(64, 65'000'000, kYears, 50));
  EXPECT_FALSE(slower_together(64, uint64_t{1} << 62, kYears, kYears / 2));
  EXPECT_FALSE(slower_together(64, 128, -1000, 50));
}

} // namespace
} // namespace xomp
