// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sys/span_count.h"

#include <gtest/gtest.h>

namespace xomp::sys {
namespace {

TEST(SpanCountTest, ASpanIsOpenUntilItEnds) {
  SpanCount spans;
  uint64_t before = spans.so_far();
  EXPECT_FALSE(SpanCount::any_open(before));
  spans.begin();
  spans.begin();
  EXPECT_TRUE(SpanCount::any_open(spans.so_far()));
  spans.end();
  EXPECT_TRUE(SpanCount::any_open(spans.so_far()));
  spans.end();
  EXPECT_FALSE(SpanCount::any_open(spans.so_far()));
  EXPECT_TRUE(spans.has_changed(before)) << "two were there meanwhile";
}

TEST(SpanCountTest, NoneIsOpenInAChildOfFork) {
  SpanCount spans;
  spans.begin();
  spans.reset();
  EXPECT_FALSE(SpanCount::any_open(spans.so_far()));
}

} // namespace
} // namespace xomp::sys
