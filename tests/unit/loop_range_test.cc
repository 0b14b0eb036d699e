// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The iteration counts of loops, up to the ends of their types.
#include <gtest/gtest.h>

#include <climits>

#include "worksharing/loop.h"

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

bool leaves(long first, long past, long step) {
  return leaves_type(signed_range(first, past, step), LoopType::kLong);
}
bool unsigned_leaves(bool up, uint64_t first, uint64_t past, uint64_t step) {
  return leaves_type(unsigned_range(up, first, past, step),
                     up ? LoopType::kUnsignedUp : LoopType::kUnsignedDown);
}

TEST(LoopRange, KnowsWhenTheLastIncrementLeavesAType) {
  EXPECT_FALSE(leaves(0, 1000, 1));
  EXPECT_FALSE(leaves(0, 1000, 3));
  EXPECT_FALSE(leaves(0, INT_MAX, 1));
  EXPECT_FALSE(leaves(LONG_MIN, LONG_MAX, 1));
  EXPECT_FALSE(leaves(LONG_MAX, LONG_MIN, -1));
  EXPECT_FALSE(leaves(10, 0, -3));
  EXPECT_FALSE(leaves(INT_MAX, 0, LONG_MAX)); // empty
  EXPECT_TRUE(leaves(0, INT_MAX - 1, 5));
  EXPECT_TRUE(leaves(0, UINT_MAX, 2));
  EXPECT_TRUE(leaves(0, INT_MIN, -3));
  EXPECT_TRUE(leaves(0, LONG_MAX, 2));
  EXPECT_TRUE(leaves(0, LONG_MIN, -3));
  EXPECT_FALSE(unsigned_leaves(true, 0, UINT_MAX, 2)); // the entry point is for wide types
  EXPECT_TRUE(unsigned_leaves(true, 0, ULLONG_MAX, 2));
  EXPECT_TRUE(unsigned_leaves(false, 10, 1, -4ull));
  EXPECT_FALSE(unsigned_leaves(false, 10, 2, -4ull));
}

TEST(LoopRange, AStepOfZeroIsNoLoop) {
  EXPECT_EQ(signed_range(0, 10, 0).trips, 0u);
  EXPECT_EQ(unsigned_range(true, 0, 10, 0).trips, 0u);
}

} // namespace
} // namespace xomp
