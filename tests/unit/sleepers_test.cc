// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The set of sleeping workers: one is chosen for one task, a near one first, and who was chosen
// knows.
#include "sched/sleepers.h"

#include <gtest/gtest.h>

namespace xomp {
namespace {

class SleepersTest : public testing::Test {
protected:
  static constexpr int kWorkers = 130; // more than one word
  void SetUp() override {
    sleepers.reserve(kWorkers);
    for (int i = 0; i < kWorkers; ++i) {
      peers[i] = &ports[i];
      ports[i].id = i;
      ports[i].peers = peers;
    }
  }
  void TearDown() override { sleepers.end(); }

  Sleepers sleepers;
  Port ports[kWorkers];
  Port* peers[kWorkers];
};

TEST_F(SleepersTest, NobodyIsChosenWhereNobodySleeps) { EXPECT_EQ(sleepers.choose(ports[0]), -1); }

TEST_F(SleepersTest, OneIsChosenForEachTask) {
  for (int id : {1, 64, 129})
    sleepers.add(id);
  EXPECT_EQ(sleepers.choose(ports[70]), 64) << "the word of the caller comes first";
  EXPECT_TRUE(sleepers.remove(64));
  EXPECT_EQ(sleepers.choose(ports[70]), 129);
  EXPECT_EQ(sleepers.choose(ports[70]), 1);
  EXPECT_EQ(sleepers.choose(ports[70]), -1);
  EXPECT_TRUE(sleepers.remove(1));
  EXPECT_TRUE(sleepers.remove(129));
}

TEST_F(SleepersTest, WhoWokeByItselfWasNotChosen) {
  sleepers.add(5);
  EXPECT_FALSE(sleepers.remove(5));
  EXPECT_EQ(sleepers.choose(ports[0]), -1);
}

TEST_F(SleepersTest, ASleeperOfTheSameDomainIsPreferred) {
  ports[9].domain = ports[40].domain = 3;
  sleepers.add(2);
  sleepers.add(40);
  EXPECT_EQ(sleepers.choose(ports[9]), 40);
  EXPECT_FALSE(sleepers.remove(2));
  EXPECT_TRUE(sleepers.remove(40));
}

TEST_F(SleepersTest, ACallerMayDrawOne) {
  ports[9].domain = ports[40].domain = ports[41].domain = 3;
  for (int id : {2, 40, 41, 100})
    sleepers.add(id);
  constexpr uint32_t kHalf = UINT32_MAX / 2 + 1;
  EXPECT_EQ(sleepers.claim_drawn(ports[9], true, kHalf), 41);
  EXPECT_EQ(sleepers.claim_drawn(ports[9], true, UINT32_MAX), 40);
  EXPECT_EQ(sleepers.claim_drawn(ports[9], true, 0), -1);
  EXPECT_EQ(sleepers.claim_drawn(ports[9], false, 0), 2);
  EXPECT_EQ(sleepers.claim_drawn(ports[9], false, 0), 100);
  EXPECT_EQ(sleepers.claim_drawn(ports[9], false, 0), -1);
}

TEST_F(SleepersTest, ACallerMayWantOneOfItsOwnDomainOrOfAnother) {
  ports[9].domain = ports[40].domain = 3;
  sleepers.add(2);
  sleepers.add(40);
  EXPECT_TRUE(sleepers.any(ports[9], true, false));
  EXPECT_EQ(sleepers.claim(ports[9], true), 40);
  EXPECT_EQ(sleepers.claim(ports[9], true), -1);
  EXPECT_FALSE(sleepers.any(ports[9], true, false));
  EXPECT_TRUE(sleepers.any(ports[9], false, true));
  EXPECT_EQ(sleepers.claim(ports[9], false), 2);
  EXPECT_FALSE(sleepers.any(ports[9], true, true));
}

TEST_F(SleepersTest, ALookDuringAMoveCountsAsOneThatMayHaveMissed) {
  uint64_t before = sleepers.moves_so_far();
  EXPECT_FALSE(sleepers.moved_since(before));
  sleepers.move_begins();
  EXPECT_TRUE(sleepers.moved_since(before));
  uint64_t during = sleepers.moves_so_far();
  EXPECT_TRUE(sleepers.moved_since(during));
  sleepers.move_ends();
  EXPECT_TRUE(sleepers.moved_since(before));
  EXPECT_TRUE(sleepers.moved_since(during));
  EXPECT_FALSE(sleepers.moved_since(sleepers.moves_so_far()));
}

} // namespace
} // namespace xomp
