// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The set of sleeping workers: one is woken for one task, a near one first, and who was woken
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

TEST_F(SleepersTest, NobodyIsWokenWhereNobodySleeps) { EXPECT_FALSE(sleepers.wake_one(ports[0])); }

TEST_F(SleepersTest, OneIsWokenForEachTask) {
  for (int id : {1, 64, 129})
    sleepers.add(id);
  EXPECT_TRUE(sleepers.wake_one(ports[70]));
  EXPECT_TRUE(sleepers.remove(64)) << "the word of the caller comes first";
  EXPECT_TRUE(sleepers.wake_one(ports[70]));
  EXPECT_TRUE(sleepers.wake_one(ports[70]));
  EXPECT_FALSE(sleepers.wake_one(ports[70]));
  EXPECT_TRUE(sleepers.remove(1));
  EXPECT_TRUE(sleepers.remove(129));
}

TEST_F(SleepersTest, WhoWokeByItselfWasNotWoken) {
  sleepers.add(5);
  EXPECT_FALSE(sleepers.remove(5));
  EXPECT_FALSE(sleepers.wake_one(ports[0]));
}

TEST_F(SleepersTest, ASleeperOfTheSameDomainIsPreferred) {
  ports[9].domain = ports[40].domain = 3;
  sleepers.add(2);
  sleepers.add(40);
  EXPECT_TRUE(sleepers.wake_one(ports[9]));
  EXPECT_FALSE(sleepers.remove(2));
  EXPECT_TRUE(sleepers.remove(40));
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

TEST_F(SleepersTest, TheBellIsRung) {
  ports[3].bell.prepare();
  sleepers.add(3);
  ASSERT_TRUE(sleepers.wake_one(ports[0]));
  ports[3].bell.sleep(); // returns at once: it was rung
}

} // namespace
} // namespace xomp
