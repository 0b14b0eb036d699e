// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The messaging of thief and victim (sched/papers/messaging.h): one request per round, handled once
// at most. xomp-test: timeout=60
#include "sched/papers/messaging.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "let_others_run.h"

namespace xomp {
namespace {

TEST(Messaging, NobodyHasAskedAtFirst) {
  Mailbox mailbox;
  EXPECT_EQ(mailbox.thief(), kNobody);
  mailbox.send(3);
  mailbox.clear();
  EXPECT_EQ(mailbox.thief(), kNobody);
}

TEST(Messaging, ARequestStandsUntilTheNextRound) {
  Mailbox mailbox;
  EXPECT_TRUE(mailbox.send(0));
  EXPECT_EQ(mailbox.thief(), 0);
  EXPECT_EQ(mailbox.thief(), 0);
  mailbox.next_round();
  EXPECT_EQ(mailbox.thief(), kNobody);
}

TEST(Messaging, OneRequestPerRound) {
  Mailbox mailbox;
  EXPECT_TRUE(mailbox.send(5));
  EXPECT_FALSE(mailbox.send(6));
  EXPECT_FALSE(mailbox.send(5));
  EXPECT_EQ(mailbox.thief(), 5);
  mailbox.next_round();
  EXPECT_TRUE(mailbox.send(6));
  EXPECT_EQ(mailbox.thief(), 6);
}

TEST(Messaging, TellsTheLargestIdsApart) {
  Mailbox mailbox;
  for (int id : {(1 << 24) - 1, 0, (1 << 24) - 2}) {
    EXPECT_TRUE(mailbox.send(id));
    EXPECT_EQ(mailbox.thief(), id);
    mailbox.next_round();
  }
}

// Requests may be overwritten, so each thief asks until it has had its share of answers.
TEST(Messaging, AThiefThatGoesOnAskingIsAnsweredBetweenThreads) {
  constexpr int kThieves = 3, kAnswers = 5000;
  Mailbox mailbox;
  std::atomic<long> sent[kThieves]{}, handled[kThieves]{};
  std::atomic<int> busy{kThieves};
  std::vector<std::thread> thieves;
  for (int id = 0; id < kThieves; ++id)
    thieves.emplace_back([&, id] {
      while (handled[id] < kAnswers) {
        sent[id]++; // first: it may be answered at once
        if (!mailbox.send(id)) {
          sent[id]--;
          let_others_run();
        }
      }
      busy--;
    });
  while (busy > 0) {
    int thief = mailbox.thief();
    if (thief == kNobody) {
      let_others_run();
      continue;
    }
    ASSERT_LT(thief, kThieves);
    handled[thief]++;
    mailbox.next_round();
  }
  for (std::thread& thief : thieves)
    thief.join();
  for (int id = 0; id < kThieves; ++id)
    EXPECT_LE(handled[id], sent[id]) << "each request is handled once at most";
}

} // namespace
} // namespace xomp
