// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One read and one look; the races are in tests/orders/reads.cc.
#include "sys/reads.h"

#include <gtest/gtest.h>

namespace xomp::sys {
namespace {

TEST(Reads, AreOverBeforeAndAfter) {
  Reads reads;
  EXPECT_TRUE(reads.are_over());
  reads.begin();
  EXPECT_FALSE(reads.are_over());
  EXPECT_FALSE(reads.are_over());
  reads.end();
  EXPECT_TRUE(reads.are_over());
}

} // namespace
} // namespace xomp::sys
