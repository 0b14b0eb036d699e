// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The na-rp policy (paper 1, Alg. 3) on ports without workers. xomp-test: timeout=120
#include "balancing.h"

namespace xomp {
namespace {

class NaRp : public BalancingTest {
protected:
  static constexpr SchedulerKind kKind = SchedulerKind::kNaRp;
  static int target(Ports& ports, int from, DeferredTask& task) {
    return ports.has_room(from) ? ports[from].policy->put(ports[from], &task, false) : kNoRoom;
  }
};

TEST_F(NaRp, BalancesStaticallyWhileNobodyAsks) {
  Ports ports(kKind, 3, 3);
  for (int expected : {1, 2, 0, 1})
    EXPECT_EQ(target(ports, 1, tasks[expected]), expected);
}

TEST_F(NaRp, RedirectsTheNextTasksToTheThief) {
  Ports ports(kKind, 3, 3);
  ports.look_in_vain(2);
  ports.find_task(0);
  for (int expected : {2, 2, 0, 1})
    EXPECT_EQ(target(ports, 0, tasks[expected]), expected);
  const Counters& thief = ports[2].counters;
  const Counters& victim = ports[0].counters;
  EXPECT_EQ(thief.requests_sent, 2u);
  EXPECT_EQ(victim.requests_handled, 1u);
  EXPECT_EQ(victim.requests_with_steal, 1u);
  EXPECT_EQ(victim.stolen_local, 2u);
  EXPECT_EQ(victim.redirected, 2u);
}

TEST_F(NaRp, RedirectsNothingThatAWorkerCreatesWhichFindsNoTask) {
  Ports ports(kKind, 3, 3);
  ports.look_in_vain(2);
  ports.prepare_park(1);
  for (int n = 0; n < 2; ++n) {
    for (int expected : {0, 1, 2})
      EXPECT_EQ(target(ports, 0, tasks[expected]), expected);
  }
  EXPECT_EQ(ports[0].counters.requests_handled, 0u);
  EXPECT_EQ(ports[0].counters.redirected, 0u);
}

TEST_F(NaRp, AcceptsOneRequestForEachTaskFound) {
  Ports ports(kKind, 3, 3);
  ports.find_task(0);
  ports.look_in_vain(2);
  EXPECT_EQ(target(ports, 0, tasks[0]), 0) << "too late for the task found before";
  ports.find_task(0);
  for (int expected : {2, 2, 1})
    EXPECT_EQ(target(ports, 0, tasks[expected]), expected);
  ports[1].policy->found_nothing(ports[1], false); // as if it had seen nothing
  EXPECT_EQ(target(ports, 0, tasks[2]), 2) << "in turn";
  ports.find_task(0);
  for (int expected : {1, 1, 0})
    EXPECT_EQ(target(ports, 0, tasks[expected]), expected);
  EXPECT_EQ(ports[0].counters.requests_handled, 2u);
}

TEST_F(NaRp, EndsTheRoundWhenItFindsNothingItself) {
  Ports ports(kKind, 3, 3);
  ports.look_in_vain(2);
  ports.find_task(0);
  ports.look_in_vain(0);
  EXPECT_EQ(target(ports, 0, tasks[0]), 0);
  EXPECT_EQ(ports[0].counters.requests_handled, 1u);
  EXPECT_EQ(ports[0].counters.requests_source_empty, 1u);
  EXPECT_EQ(ports.take(0), &tasks[0]);
  ports.prepare_park(2);
  ports.find_task(0);
  ports.look_in_vain(0);
  EXPECT_EQ(target(ports, 0, tasks[1]), 1);
  EXPECT_TRUE(ports.asleep(2));
}

TEST_F(NaRp, EndsTheRoundWhenTheThiefsQueueIsFull) {
  Ports ports(kKind, 2, 2);
  settings.steal = 100;
  ports.look_in_vain(1);
  ports.find_task(0);
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(target(ports, 0, tasks[i]), 1);
  EXPECT_EQ(target(ports, 0, tasks[4]), 0) << "static again, beginning with its own";
  EXPECT_EQ(ports[0].counters.requests_with_steal, 1u);
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(ports.take(1), &tasks[i]);
  ports.look_in_vain(1);
  ports.find_task(0);
  EXPECT_EQ(target(ports, 0, tasks[5]), 1) << "a new round";
}

TEST_F(NaRp, CountsARequestForAFullQueue) {
  Ports ports(kKind, 2, 2);
  for (int i = 0; i < 8; ++i)
    ASSERT_TRUE(ports.offer(0, tasks[i]));
  ports[1].policy->found_nothing(ports[1], true); // as if it had seen nothing
  ports.find_task(0);
  EXPECT_FALSE(ports.has_room(0));
  EXPECT_EQ(ports[0].counters.requests_target_full, 1u);
  EXPECT_EQ(ports[0].counters.requests_with_steal, 0u);
}

TEST_F(NaRp, AGateStaysClosedUntilThereIsRoomWhoeverAsks) {
  Ports ports(kKind, 3, 3);
  for (int i = 0; i < 12; ++i)
    ASSERT_TRUE(ports.offer(0, tasks[i]));
  for (int i = 0; i < 3; ++i)
    EXPECT_FALSE(ports.has_room(0));
  ASSERT_TRUE(ports.closed(0));
  ports[1].policy->found_nothing(ports[1], false); // as if it had seen nothing
  ports.prepare_park(2);
  ports[2].policy->found_nothing(ports[2], true);
  EXPECT_TRUE(ports.closed(0)) << "the worker that creates redirects nothing now";
  ports.find_task(0);
  EXPECT_TRUE(ports.closed(0)) << "the thief's queue is full";
  EXPECT_EQ(ports.take(1), &tasks[1]);
  EXPECT_TRUE(ports.opened(0));
  EXPECT_EQ(target(ports, 0, tasks[12]), 1);
}

TEST_F(NaRp, AsksAtOnceAndAgainAfterTheInterval) {
  Ports ports(kKind, 2, 2);
  const Counters& thief = ports[1].counters;
  ports.look_in_vain(1);
  EXPECT_EQ(thief.requests_sent, 1u);
  ports.find_task(0);
  EXPECT_EQ(target(ports, 0, tasks[0]), 1);
  EXPECT_EQ(target(ports, 0, tasks[1]), 1); // handled
  EXPECT_EQ(ports.take(1), &tasks[0]);
  EXPECT_EQ(ports.take(1), &tasks[1]);
  ports.look_in_vain(1);
  EXPECT_EQ(thief.requests_sent, 2u) << "it was busy in between";
  ports.find_task(0);
  EXPECT_EQ(target(ports, 0, tasks[0]), 1);
  EXPECT_EQ(target(ports, 0, tasks[1]), 1);
  for (int i = 1; i < settings.interval; ++i)
    ports[1].policy->found_nothing(ports[1], false);
  EXPECT_EQ(thief.requests_sent, 2u);
  ports[1].policy->found_nothing(ports[1], false);
  EXPECT_EQ(thief.requests_sent, 3u);
}

TEST_F(NaRp, DoesNotAskWhileItHoldsTasksThatItMayNotStart) {
  Ports ports(kKind, 2, 2);
  ASSERT_TRUE(ports.offer(0, tasks[0])); // own
  ASSERT_TRUE(ports.offer(0, tasks[1])); // to 1
  EXPECT_EQ(ports.take(1, Verdict::kKeep), nullptr);
  ports[1].policy->found_nothing(ports[1], false);
  ports[1].policy->found_nothing(ports[1], true);
  EXPECT_EQ(ports[1].counters.requests_sent, 0u);
}

TEST_F(NaRp, AsksOnlyThoseOfItsDomainWhenThatIsWanted) {
  Ports ports(kKind, 4, 4);
  for (int i = 0; i < 4; ++i)
    ports[i].domain = i / 2;
  settings.local_share = 1'000'000;
  ports.look_in_vain(3);
  ports.find_task(0);
  ports.find_task(2);
  EXPECT_EQ(target(ports, 0, tasks[0]), 0);
  EXPECT_EQ(target(ports, 2, tasks[1]), 3);
  EXPECT_EQ(ports[2].counters.stolen_local, 1u);
}

TEST_F(NaRp, TellsTasksForAnotherDomainApart) {
  Ports ports(kKind, 2, 2);
  ports[1].domain = 1;
  ports.look_in_vain(1);
  ports.find_task(0);
  EXPECT_EQ(target(ports, 0, tasks[0]), 1);
  EXPECT_EQ(ports[0].counters.stolen_remote, 1u);
  EXPECT_EQ(ports[0].counters.stolen_local, 0u);
}

TEST_F(NaRp, RedirectsToAWorkerThatSleepsWithoutARequest) {
  Ports ports(kKind, 3, 3);
  ports.prepare_park(2);
  ports.find_task(0);
  EXPECT_TRUE(ports.asleep(2)) << "there is nothing for it yet";
  EXPECT_EQ(target(ports, 0, tasks[0]), 2);
  EXPECT_FALSE(ports.asleep(2)) << "rung";
  for (int expected : {2, 0, 1})
    EXPECT_EQ(target(ports, 0, tasks[1]), expected);
  EXPECT_EQ(ports[0].counters.requests_sent, 1u);
  EXPECT_EQ(ports[0].counters.requests_handled, 1u);
}

TEST_F(NaRp, LeavesASleeperOfAnotherDomainAsleepWhenThatIsWanted) {
  Ports ports(kKind, 3, 3);
  ports[2].domain = 1;
  ports.prepare_park(2);
  ports.find_task(0);
  EXPECT_EQ(target(ports, 0, tasks[0]), 0);
  EXPECT_TRUE(ports.asleep(2));
  settings.local_share = 0;
  ports.find_task(0);
  EXPECT_EQ(target(ports, 0, tasks[1]), 2);
}

TEST_F(NaRp, DrawsTheSleeperThatItWakes) {
  constexpr int kWorkers = 16, kRounds = 300;
  Ports ports(kKind, kWorkers, kWorkers);
  settings.steal = 1;
  int woken[kWorkers] = {};
  for (int i = 1; i < kWorkers; ++i)
    ports.prepare_park(i);
  for (int n = 0; n < kRounds; ++n) {
    ports.find_task(0);
    int thief = target(ports, 0, tasks[0]);
    ASSERT_GT(thief, 0);
    EXPECT_FALSE(ports.asleep(thief));
    ++woken[thief];
    EXPECT_EQ(ports.take(thief), &tasks[0]);
    ports.prepare_park(thief);
  }
  for (int i = 1; i < kWorkers; ++i) {
    EXPECT_GT(woken[i], kRounds / kWorkers / 4) << i;
    EXPECT_LT(woken[i], kRounds / kWorkers * 4) << i;
  }
}

TEST_F(NaRp, RedirectsWhatHasToGoElsewhereToo) {
  Ports ports(kKind, 3, 3);
  ports.look_in_vain(2);
  ports.find_task(0);
  EXPECT_EQ(ports[0].policy->put(ports[0], &tasks[0], true), 2);
  EXPECT_EQ(ports[0].policy->put(ports[0], &tasks[1], true), 2);
  EXPECT_EQ(ports[0].policy->put(ports[0], &tasks[2], true), 1);
}

TEST_F(NaRp, ForgetsAThiefThatLeftTheTeam) {
  Ports ports(kKind, 3, 3);
  ports.look_in_vain(2);
  ports.find_task(0);
  EXPECT_EQ(target(ports, 0, tasks[0]), 2); // in the middle of a round
  ports.open(2);
  for (int expected : {0, 1, 0, 1})
    EXPECT_EQ(target(ports, 0, tasks[1]), expected);
}

TEST_F(NaRp, HandsEveryTaskOverOnceBetweenThreads) { hand_over_between_threads(kKind, 3, 12000); }

} // namespace
} // namespace xomp
