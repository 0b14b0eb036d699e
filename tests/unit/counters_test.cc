// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What XOMP_STATS prints: sums, rows, lambda, and the check that tasks created were run.
#include "trace/counters.h"

#include <gtest/gtest.h>

#include <string>

namespace xomp {
namespace {

class CountersTest : public testing::Test {
protected:
  void SetUp() override { reset_counters_after_fork(); }
  void TearDown() override { reset_counters_after_fork(); }

  static std::string printed(bool zeros = false) {
    testing::internal::CaptureStderr();
    print_counters(zeros);
    return testing::internal::GetCapturedStderr();
  }
  static bool says(const std::string& text, const std::string& words) {
    return text.find(words) != text.npos;
  }
  /// The sum before a name.
  static long sum(const std::string& text, const std::string& name) {
    std::size_t at = text.find("  " + name + "\n");
    return at == text.npos ? -1 : std::stol(text.substr(text.find_last_of(' ', at - 1)));
  }

  int team = 0;
  Counters initial, workers[3]; // until TearDown
};

TEST_F(CountersTest, NothingIsPrintedWithoutWorkers) { EXPECT_EQ(printed(), ""); }

TEST_F(CountersTest, SumsAreOverTheLivingAndTheDead) {
  workers[0].created = 5;
  workers[0].immediate = 2;
  workers[0].self = 1;
  workers[1].local = 1;
  workers[1].remote = 1;
  workers[1].stolen_local = 3;
  workers[1].stolen_remote = 4;
  for (int i = 0; i < 3; ++i)
    enlist(workers[i], &team, i);
  delist(workers[1]);
  std::string text = printed();
  EXPECT_TRUE(says(text, "xomp: statistics of "));
  EXPECT_EQ(sum(text, "NTASKS_CREATED"), 5);
  EXPECT_EQ(sum(text, "NTASKS_SELF"), 3) << "with those run at once, as the paper counts";
  EXPECT_EQ(sum(text, "NTASKS_IMM_EXEC"), 2);
  EXPECT_EQ(sum(text, "NTASKS_LOCAL"), 1);
  EXPECT_EQ(sum(text, "NTASKS_REMOTE"), 1);
  EXPECT_EQ(sum(text, "NTASKS_STOLEN"), 7);
  EXPECT_FALSE(says(text, "xomp: error"));
}

TEST_F(CountersTest, TheSumsAreThoseOfAllThatWereThere) {
  CounterSums sum;
  EXPECT_FALSE(sum_counters(sum)) << "nobody was there";
  workers[0].count_theft(1);
  workers[1].count_theft(3);
  enlist(workers[0], &team, 0);
  enlist(workers[1], &team, 1);
  delist(workers[0]);
  ASSERT_TRUE(sum_counters(sum));
  EXPECT_EQ(sum.taken, 4u);
  EXPECT_EQ(sum.taken_together, 3u);
}

TEST_F(CountersTest, RedirectedTasksAreNotPushedStatically) {
  workers[0].deferred = 10;
  workers[0].redirected = 4;
  enlist(workers[0], &team, 0);
  EXPECT_EQ(sum(printed(), "NTASKS_STATIC_PUSH"), 6);
}

TEST_F(CountersTest, ATaskThatWasNotRunIsAnError) {
  workers[0].created = 5;
  workers[1].self = 4;
  enlist(workers[0], &team, 0);
  enlist(workers[1], &team, 1);
  EXPECT_TRUE(says(printed(), "xomp: error: of 5 tasks created, 4 were run"));
  workers[0].regions_begun = 1;
  std::string text = printed();
  EXPECT_FALSE(says(text, "xomp: error"));
  EXPECT_TRUE(says(text, "in the middle of a parallel region"));
}

TEST_F(CountersTest, TheImbalanceIsThatOfTheTeamThatRanTheMost) {
  int alone = 0;
  initial.created = initial.immediate = 100;
  workers[0].created = 6;
  workers[0].self = 3;
  workers[1].self = 2;
  workers[2].self = 1;
  enlist(initial, &alone, 0);
  for (int i = 0; i < 3; ++i)
    enlist(workers[i], &team, i);
  std::string text = printed();
  EXPECT_TRUE(says(text, "- 1) 0.500, of 3 workers"));
  EXPECT_TRUE(says(text, "team of 3"));
  EXPECT_FALSE(says(text, "team of 1"));
}

TEST_F(CountersTest, AChildProcessBeginsAnew) {
  workers[0].created = workers[0].self = 7;
  enlist(workers[0], &team, 0);
  enlist(workers[1], &team, 1);
  reset_counters_after_fork();
  EXPECT_EQ(printed(), "");
  delist(workers[0]); // of a team that is forgotten: no harm
  enlist(workers[1], &team, 1);
  std::string text = printed();
  EXPECT_TRUE(says(text, "xomp: statistics of "));
  EXPECT_TRUE(says(text, "No task was created."));
  EXPECT_FALSE(says(text, "NTASKS_CREATED"));
}

TEST_F(CountersTest, SentencesComeFirstAndNothingIsSaidOfWhatDidNotHappen) {
  workers[0].created = 40;
  workers[0].immediate = 10;
  workers[0].self = 20;
  workers[1].local = 9;
  workers[1].remote = 1;
  enlist(workers[0], &team, 0);
  enlist(workers[1], &team, 1);
  std::string text = printed();
  std::size_t first = text.find("Of 40 tasks other workers than their creators ran 10 (25.0 %).");
  std::size_t second = text.find("Creators ran 10 at once (25.0 %), and left");
  std::size_t third = text.find("The busiest of 2 workers ran 75 % of its team's tasks.");
  EXPECT_LT(first, second);
  EXPECT_LT(second, third);
  EXPECT_LT(third, text.find("NTASKS_CREATED"));
  EXPECT_FALSE(says(text, " 0  N")) << "no counter that is zero";
  EXPECT_TRUE(says(text, "worker      created          run      at once          own        local"
                         "       remote\n"))
      << "no column without a number";
  text = printed(true);
  EXPECT_EQ(sum(text, "NSTEALS_FAILED"), 0) << "programs that read it get all";
  EXPECT_TRUE(says(text, "handled        given  times slept\n"));
}

TEST_F(CountersTest, ATeamOfWhichNothingIsToBeSaidHasNoTable) {
  enlist(workers[0], &team, 0);
  enlist(workers[1], &team, 1);
  EXPECT_FALSE(says(printed(), "team of 2"));
  workers[1].sleeps = 3;
  std::string text = printed();
  EXPECT_TRUE(says(text, "worker  times slept\n"));
  EXPECT_TRUE(says(text, " 1            3\n"));
}

} // namespace
} // namespace xomp
