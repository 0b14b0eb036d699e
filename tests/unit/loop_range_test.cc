// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The iteration counts of loops, up to the ends of their types.
#include <gtest/gtest.h>

#include <climits>

#include "team/loop.h"

namespace xomp {
namespace {

TEST(LoopRange, CountsUpwards) {
  EXPECT_EQ(signed_range(0, 10, 1).trips, 10u);
  EXPECT_EQ(signed_range(0, 10, 3).trips, 4u);
  EXPECT_EQ(signed_range(-5, 5, 10).trips, 1u);
  EXPECT_EQ(signed_range(10, 10, 1).trips, 0u);
  EXPECT_EQ(signed_range(11, 10, 1).trips, 0u);
}

TEST(LoopRange, CountsDownwards) {
  EXPECT_EQ(signed_range(10, 0, -1).trips, 10u);
  EXPECT_EQ(signed_range(10, 0, -3).trips, 4u);
  EXPECT_EQ(signed_range(0, 0, -1).trips, 0u);
  EXPECT_EQ(signed_range(0, 10, -1).trips, 0u);
}

TEST(LoopRange, ReachesTheEndsOfLong) {
  EXPECT_EQ(signed_range(LONG_MIN, LONG_MAX, 1).trips, ~uint64_t{0});
  EXPECT_EQ(signed_range(LONG_MAX, LONG_MIN, -1).trips, ~uint64_t{0});
  EXPECT_EQ(signed_range(LONG_MAX, LONG_MIN, LONG_MIN).trips, 2u);
}

TEST(LoopRange, CountsUnsignedBothWays) {
  EXPECT_EQ(unsigned_range(true, 0, ULLONG_MAX, 1).trips, ~uint64_t{0});
  EXPECT_EQ(unsigned_range(false, ULLONG_MAX, 0, -1ull).trips, ~uint64_t{0});
  EXPECT_EQ(unsigned_range(false, 10, 1, -4ull).trips, 3u);
  EXPECT_EQ(unsigned_range(true, 5, 5, 1).trips, 0u);
  EXPECT_EQ(unsigned_range(false, 5, 6, -1ull).trips, 0u);
}

TEST(LoopRange, AStepOfZeroIsNoLoop) {
  EXPECT_EQ(signed_range(0, 10, 0).trips, 0u);
  EXPECT_EQ(unsigned_range(true, 0, 10, 0).trips, 0u);
}

} // namespace
} // namespace xomp
