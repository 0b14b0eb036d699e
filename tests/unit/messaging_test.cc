// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The messaging of thief and victim (sched/messaging.h): one request per round, none lost, none
// handled twice. xomp-test: timeout=60
#include "sched/messaging.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <thread>
#include <vector>

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

TEST(Messaging, EverySentRequestIsHandledOnceBetweenThreads) {
  constexpr int kThieves = 3, kRequests = 20000;
  Mailbox mailbox;
  std::atomic<long> sent[kThieves]{};
  std::atomic<bool> over{false};
  long handled[kThieves] = {};
  auto handle = [&] {
    int thief = mailbox.thief();
    if (thief == kNobody)
      return false;
    ++handled[thief];
    mailbox.next_round();
    return true;
  };
  std::vector<std::thread> thieves;
  for (int id = 0; id < kThieves; ++id)
    thieves.emplace_back([&, id] {
      while (sent[id] < kRequests && !over) {
        if (mailbox.send(id))
          sent[id]++;
        else
          sched_yield();
      }
    });
  std::thread victim([&] {
    long idle = 0;
    // Long enough without one: the thieves are finished.
    while (idle < 2000) {
      if (handle()) {
        idle = 0;
      } else {
        ++idle;
        sched_yield();
      }
    }
    over = true;
  });
  victim.join();
  for (std::thread& thief : thieves)
    thief.join();
  while (handle()) {
  }
  for (int id = 0; id < kThieves; ++id) {
    EXPECT_GT(sent[id], 0);
    EXPECT_EQ(handled[id], sent[id]) << id;
  }
}

} // namespace
} // namespace xomp
