// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The clock of decisions runs on, and at about the rate that its constants say.
#include "sys/ticks.h"

#include <gtest/gtest.h>

#include <ctime>

#include "sys/clock.h"

namespace xomp::sys {
namespace {

TEST(Ticks, SlowCountersAreShiftedToHalfAGigahertzOrMore) {
  // Generic timers of Arm boards, servers and emulators.
  for (uint32_t hertz : {1'000'000u, 19'200'000u, 24'000'000u, 25'000'000u, 54'000'000u,
                         62'500'000u, 100'000'000u, 121'875'000u, 1'000'000'000u}) {
    uint64_t rate = uint64_t{hertz} << shift_to_nanoseconds(hertz);
    EXPECT_GE(rate, 500'000'000u) << hertz;
    EXPECT_LT(rate, 1'100'000'000u) << hertz;
  }
}

TEST(Ticks, FastCountersAndUnknownRatesStayInRange) {
  EXPECT_EQ(shift_to_nanoseconds(2'000'000'000), 0);
  EXPECT_EQ(shift_to_nanoseconds(UINT32_MAX), 0);
  EXPECT_EQ(shift_to_nanoseconds(1), 10);
  EXPECT_EQ(shift_to_nanoseconds(0), 10);
}

// Each bound holds however long the thread is interrupted between two readings.
TEST(Ticks, UnitsAreWhatTheConstantsSay) {
  constexpr int64_t kApart = 8; // an emulator may give the clock of another processor
  int64_t outer = ticks();
  int64_t begin = nanoseconds();
  int64_t inner = ticks();
  timespec pause{0, 20'000'000};
  nanosleep(&pause, nullptr);
  int64_t inner_took = ticks() - inner;
  int64_t took = nanoseconds() - begin;
  int64_t outer_took = ticks() - outer;
  EXPECT_LT(inner_took / kApart, took * kTicksOfMicrosecond / 1000);
  EXPECT_GT(outer_took * kApart, took * kTicksOfMicrosecond / 1000);
}

} // namespace
} // namespace xomp::sys
