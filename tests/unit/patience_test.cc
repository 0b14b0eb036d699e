// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long a worker spins before it sleeps, and what it learns from that.
#include "task/patience.h"

#include <gtest/gtest.h>

namespace xomp {
namespace {

class PatienceTest : public testing::Test {
protected:
  void SetUp() override {
    settings.spin_adapts = true;
    worker.tasks = &team;
    team.spin_count = 4000;
  }
  void TearDown() override { settings.spin_adapts = adapts; }

  int64_t rounds_until_sleep(Patience& patience) {
    int64_t rounds = 0;
    while (patience.spin())
      ++rounds;
    return rounds;
  }
  void sleep(Patience& patience) {
    worker.bell.prepare();
    worker.bell.ring(); // so that it returns at once
    patience.sleep();
  }
  /// A wait that spins until it has to sleep, sleeps once and is over; how long it spun.
  int64_t sleeping_wait() {
    Patience patience(worker);
    int64_t rounds = rounds_until_sleep(patience);
    sleep(patience);
    return rounds;
  }
  /// A wait that is over after `rounds`.
  void spinning_wait(int64_t rounds) {
    Patience patience(worker);
    for (int64_t i = 0; i < rounds; ++i)
      ASSERT_TRUE(patience.spin());
  }

  TaskTeam team;
  Worker worker;

private:
  bool adapts = settings.spin_adapts;
};

TEST_F(PatienceTest, KeepsToTheLetterOfALimitThatTheUserGave) {
  settings.spin_adapts = false;
  for (int64_t count : {0, 1, 17, 5000}) {
    team.spin_count = count;
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(sleeping_wait(), count);
  }
}

TEST_F(PatienceTest, HalvesTheLimitWhenItHadToSleep) {
  worker.spin_limit = 1600;
  for (int64_t expected : {1600, 800, 400, 200, 100, 100, 100})
    EXPECT_EQ(sleeping_wait(), expected);
}

TEST_F(PatienceTest, NeverSpinsLongerThanTheTeamAllows) {
  worker.spin_limit = 1000;
  team.spin_count = 100;
  EXPECT_EQ(sleeping_wait(), 100);
  team.spin_count = 0;
  EXPECT_EQ(sleeping_wait(), 0);
}

TEST_F(PatienceTest, CountsItsSleeps) {
  for (int i = 0; i < 3; ++i)
    sleeping_wait();
  EXPECT_EQ(worker.counters.sleeps, 3);
}

TEST_F(PatienceTest, StartsAgainWhenThereWasSomethingToDo) {
  worker.spin_limit = 300;
  Patience patience(worker);
  for (int i = 0; i < 299; ++i)
    ASSERT_TRUE(patience.spin());
  patience.renew();
  EXPECT_EQ(rounds_until_sleep(patience), 300);
}

TEST_F(PatienceTest, AllowsTwiceWhatASuccessfulSpinTook) {
  worker.spin_limit = 400;
  spinning_wait(350);
  EXPECT_EQ(sleeping_wait(), 700);
}

TEST_F(PatienceTest, ProbesNowAndThenWithALongerSpin) {
  worker.spin_limit = Patience::kLeast;
  int probes = 0;
  for (uint32_t i = 0; i < 2 * Patience::kProbeEvery; ++i)
    probes += sleeping_wait() == Patience::kProbe;
  EXPECT_EQ(probes, 2);
  EXPECT_EQ(worker.spin_limit, Patience::kLeast); // in vain: nothing learnt
}

TEST_F(PatienceTest, LeavesTheShortestLimitAfterASuccessfulProbe) {
  worker.spin_limit = Patience::kLeast;
  for (uint32_t i = 1; i < Patience::kProbeEvery; ++i)
    sleeping_wait();
  spinning_wait(500);
  EXPECT_EQ(sleeping_wait(), 1000);
}

TEST_F(PatienceTest, AllowsTwiceWhatTheSpinBeforeSomethingToDoTook) {
  worker.spin_limit = 400;
  {
    Patience patience(worker);
    for (int i = 0; i < 300; ++i)
      ASSERT_TRUE(patience.spin());
    patience.renew();
  }
  EXPECT_EQ(sleeping_wait(), 600);
}

TEST_F(PatienceTest, LearnsNothingFromWaitsThatWereOverAtOnce) {
  worker.spin_limit = 400;
  for (int i = 0; i < 10; ++i)
    spinning_wait(3);
  EXPECT_EQ(sleeping_wait(), 400);
}

} // namespace
} // namespace xomp
