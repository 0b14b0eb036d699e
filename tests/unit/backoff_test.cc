// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a thief leaves to its owner, and for how long; no theft, and no other thread.
#include "task/backoff.h"

#include <gtest/gtest.h>

#include "workers.h"

namespace xomp {
namespace {

class BackoffTest : public testing::Test {
protected:
  /// Its tasks take so long where thieves run them, and where they were created.
  void tasks_take(int64_t ticks, int64_t at_once) {
    creator.mean = ticks;
    creator.mean_at_once = at_once;
  }
  /// A theft of sixteen is over.
  void steal(int64_t each) { weigh(thief, creator, kMostTaken, kMostTaken * each, true); }

  static constexpr int64_t kTiny = kWorthComing / 100, kSmall = kWorthComing / 20;
  Workers workers{2};
  Worker &creator = workers[0], &thief = workers[1];
};

TEST_F(BackoffTest, SmallOnesAreLeftToTheirOwnersForLongerEachTimeUpToABound) {
  tasks_take(kSmall, 0);
  EXPECT_FALSE(rests(thief));
  int64_t longest = 0;
  for (int64_t expected : {1, 2, 4, 4, 4}) {
    steal(kSmall);
    EXPECT_EQ(thief.backoff.rest, expected * kWorthComing);
    EXPECT_GT(thief.backoff.rests_until, longest);
    longest = thief.backoff.rests_until;
  }
  EXPECT_FALSE(leaves_somebody_alone(thief)) << "nobody has measured that they are tiny";
}

TEST_F(BackoffTest, OnesThatWereWorthItEndThat) {
  tasks_take(kSmall, 0);
  steal(kSmall);
  steal(kWorthComing);
  EXPECT_EQ(thief.backoff.rest, 0);
  tasks_take(10 * kWorthComing, 0);
  steal(kSmall);
  EXPECT_EQ(thief.backoff.rest, 0) << "these were, by chance";
}

TEST_F(BackoffTest, TinyOnesAreLeftToTheirCreatorAsLongAsItAnswers) {
  tasks_take(kTiny, kTiny);
  steal(kTiny);
  ASSERT_TRUE(leaves_somebody_alone(thief));
  EXPECT_FALSE(leaves_alone(thief, thief)) << "that creator alone";
  thief.backoff.creator_until = thief.backoff.asks_again = INT64_MAX;
  EXPECT_TRUE(leaves_alone(thief, creator));
  // It has nothing yet, and so was never asked: that is no answer.
  ASSERT_TRUE(creator.stack.is_asked());
  thief.backoff.asks_again = 0;
  EXPECT_FALSE(leaves_alone(thief, creator));
  EXPECT_FALSE(leaves_somebody_alone(thief));
}

TEST_F(BackoffTest, ButNotForLongNorWhereThatIsAway) {
  tasks_take(kTiny, kTiny);
  steal(kTiny);
  thief.backoff.asks_again = INT64_MAX;
  thief.backoff.creator_until = 0;
  EXPECT_FALSE(leaves_alone(thief, creator));
  steal(kTiny);
  thief.backoff.creator_until = thief.backoff.asks_again = INT64_MAX;
  creator.stack.note_away();
  EXPECT_FALSE(leaves_alone(thief, creator));
}

} // namespace
} // namespace xomp
