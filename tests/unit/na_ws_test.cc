// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The na-ws policy (paper 1, Alg. 4) on ports without workers. xomp-test: timeout=120
#include "balancing.h"
#include "sched/papers/ring_matrix.h"

namespace xomp {
namespace {

class NaWs : public BalancingTest {
protected:
  static constexpr SchedulerKind kKind = SchedulerKind::kNaWs;
  Verdict take = Verdict::kTake;
  /// Worker 0 puts `count` tasks, in turn: 0, 1, 2, ...
  void spread(Ports& ports, int count) {
    for (int i = 0; i < count; ++i)
      ASSERT_TRUE(ports.offer(0, tasks[i]));
  }
};

TEST_F(NaWs, MovesTasksFromTheVictimsQueuesToTheThief) {
  Ports ports(kKind, 2, 2);
  spread(ports, 6); // 0, 2, 4 own, 1, 3, 5 to 1
  for (int i : {1, 3, 5})
    EXPECT_EQ(ports.take(1), &tasks[i]);
  ports.look_in_vain(1);
  EXPECT_EQ(ports.take(0), &tasks[0]); // finds a task, answers
  EXPECT_EQ(ports.take(1), &tasks[2]);
  EXPECT_EQ(ports.take(1), &tasks[4]);
  EXPECT_EQ(ports.take(0), nullptr);
  const Counters& victim = ports[0].counters;
  EXPECT_EQ(victim.requests_handled, 1u);
  EXPECT_EQ(victim.requests_with_steal, 1u);
  EXPECT_EQ(victim.stolen_local, 2u);
}

TEST_F(NaWs, MovesNoMoreThanItsShare) {
  Ports ports(kKind, 2, 2);
  spread(ports, 8);
  for (int i = 0; i < 4; ++i)
    ASSERT_NE(ports.take(1), nullptr);
  ports.look_in_vain(1);
  EXPECT_EQ(ports.take(0), &tasks[0]);
  EXPECT_EQ(ports.take(1), &tasks[2]);
  EXPECT_EQ(ports.take(1), &tasks[4]);
  EXPECT_EQ(ports.take(1), nullptr);
  EXPECT_EQ(ports.take(0), &tasks[6]);
}

TEST_F(NaWs, MovesWhatCameFromOthersTooAndMakesRoomForThem) {
  Ports ports(kKind, 3, 3);
  spread(ports, 2); // own, to 1
  EXPECT_EQ(ports.take(0), &tasks[0]);
  ASSERT_TRUE(ports.offer(1, tasks[10])); // own
  ports.look_in_vain(2);
  ports[0].gate.store(kStackLimit);
  EXPECT_EQ(ports.take(1), &tasks[10]);
  EXPECT_TRUE(ports.opened(0));
  EXPECT_EQ(ports.take(2), &tasks[1]);
}

TEST_F(NaWs, AnswersWhenItHasFoundATaskThatNoQueueBrought) {
  Ports ports(kKind, 2, 2);
  spread(ports, 2);
  EXPECT_EQ(ports.take(1), &tasks[1]);
  ports.look_in_vain(1);
  ports.find_task(0);
  EXPECT_EQ(ports.take(1), &tasks[0]);
  EXPECT_EQ(ports[0].counters.requests_with_steal, 1u);
}

TEST_F(NaWs, AnswersWhenItCreatesATask) {
  Ports ports(kKind, 2, 2);
  spread(ports, 2);
  EXPECT_EQ(ports.take(1), &tasks[1]);
  ports.look_in_vain(1);
  EXPECT_TRUE(ports.has_room(0));
  EXPECT_EQ(ports.take(1), &tasks[0]);
}

TEST_F(NaWs, AnswersWhenItMayNotStartWhatItHolds) {
  Ports ports(kKind, 2, 2);
  spread(ports, 2);
  EXPECT_EQ(ports.take(1), &tasks[1]);
  ports.look_in_vain(1);
  EXPECT_EQ(ports.take(0, Verdict::kKeep), nullptr);
  EXPECT_EQ(ports.take(1), &tasks[0]);
}

TEST_F(NaWs, GivesNothingAwayWhileItsPartOfTheRegionHasNotBegun) {
  Ports ports(kKind, 2, 2);
  spread(ports, 2);
  EXPECT_EQ(ports.take(1), &tasks[1]);
  ports.look_in_vain(1);
  Verdict keep = Verdict::kKeep;
  Judge judge{always, &keep};
  judge.anything = true;
  EXPECT_EQ(ports[0].policy->take(ports[0], judge), nullptr);
  EXPECT_EQ(ports.take(1), nullptr);
  EXPECT_EQ(ports.take(0), &tasks[0]);
}

TEST_F(NaWs, TellsAThiefThatIsAwakeThatThereIsNothing) {
  Ports ports(kKind, 2, 2);
  spread(ports, 1);
  ports.look_in_vain(1);
  EXPECT_EQ(ports.take(0), &tasks[0]);
  EXPECT_EQ(ports[0].counters.requests_handled, 1u);
  EXPECT_EQ(ports[0].counters.requests_source_empty, 1u);
}

TEST_F(NaWs, GivesToAWorkerThatSleepsWithoutARequest) {
  Ports ports(kKind, 2, 2);
  spread(ports, 3); // 0, 2 own
  EXPECT_EQ(ports.take(1), &tasks[1]);
  ports.prepare_park(1);
  EXPECT_EQ(ports.take(0), &tasks[0]);
  EXPECT_FALSE(ports.asleep(1)) << "rung";
  EXPECT_EQ(ports.take(1), &tasks[2]);
  EXPECT_EQ(ports[0].counters.requests_sent, 1u);
  EXPECT_EQ(ports[0].counters.requests_with_steal, 1u);
}

TEST_F(NaWs, LeavesSleepersAloneWhenItHasNothing) {
  Ports ports(kKind, 2, 2);
  spread(ports, 1);
  ports.prepare_park(1);
  EXPECT_EQ(ports.take(0), &tasks[0]);
  EXPECT_TRUE(ports.asleep(1));
  EXPECT_TRUE(ports.sleepers.any(ports[0], true, true));
}

TEST_F(NaWs, DropsStaleEntriesInsteadOfMovingThem) {
  Ports ports(kKind, 2, 2);
  ports[0].stale = [](DeferredTask* task) { return task->priority == 1; };
  spread(ports, 6); // 0, 2, 4 own
  tasks[2].priority = 1;
  for (int i : {1, 3, 5})
    EXPECT_EQ(ports.take(1), &tasks[i]);
  ports.look_in_vain(1);
  EXPECT_EQ(ports.take(0), &tasks[0]);
  EXPECT_EQ(ports.take(1), &tasks[4]);
  EXPECT_EQ(ports[0].counters.stolen_local, 1u);
}

TEST_F(NaWs, CountsARequestForAFullQueue) {
  Ports ports(kKind, 2, 2);
  spread(ports, 8);
  ports[1].policy->found_nothing(ports[1], false); // as if it had seen nothing
  EXPECT_EQ(ports.take(0), &tasks[0]);
  EXPECT_EQ(ports[0].counters.requests_target_full, 1u);
  EXPECT_EQ(ports[0].counters.requests_with_steal, 0u);
}

TEST_F(NaWs, ServesSleepersOneAfterTheOther) {
  Ports ports(kKind, 3, 3);
  settings.steal = 1;
  spread(ports, 9);
  for (int i = 1; i < 3; ++i) {
    while (ports.take(i)) {
    }
  }
  for (int i = 1; i < 3; ++i)
    ports.prepare_park(i);
  EXPECT_EQ(ports.take(0), &tasks[0]);
  EXPECT_NE(ports.asleep(1), ports.asleep(2));
  EXPECT_TRUE(ports.has_room(0));
  EXPECT_FALSE(ports.asleep(1) || ports.asleep(2));
  EXPECT_NE(ports.take(1), nullptr);
  EXPECT_NE(ports.take(2), nullptr);
}

TEST_F(NaWs, DrawsTheSleeperThatItWakes) {
  constexpr int kWorkers = 16, kRounds = 300;
  Ports ports(kKind, kWorkers, kWorkers);
  settings.steal = 1;
  int woken[kWorkers] = {};
  for (int i = 1; i < kWorkers; ++i)
    ports.prepare_park(i);
  auto awake = [&] {
    for (int i = 1; i < kWorkers; ++i) {
      if (!ports.asleep(i))
        return i;
    }
    return 0;
  };
  for (int n = 0; n < kRounds; ++n) {
    ASSERT_TRUE(push_to(ports[0], 0, &tasks[0]));
    ports.find_task(0);
    int thief = awake();
    ASSERT_GT(thief, 0);
    ++woken[thief];
    EXPECT_EQ(ports[thief].policy->take(ports[thief], Judge{always, &take}), &tasks[0]);
    ports.prepare_park(thief);
  }
  for (int i = 1; i < kWorkers; ++i) {
    EXPECT_GT(woken[i], kRounds / kWorkers / 4) << i;
    EXPECT_LT(woken[i], kRounds / kWorkers * 4) << i;
  }
}

TEST_F(NaWs, ForgetsAThiefThatLeftTheTeam) {
  Ports ports(kKind, 3, 3);
  ports.look_in_vain(2);
  ports.open(2);
  spread(ports, 4);
  EXPECT_EQ(ports.take(0), &tasks[0]);
  EXPECT_EQ(ports[0].counters.requests_handled, 0u);
  EXPECT_EQ(ports.take(0), &tasks[2]);
}

TEST_F(NaWs, HandsEveryTaskOverOnceBetweenThreads) { hand_over_between_threads(kKind, 3, 12000); }

} // namespace
} // namespace xomp
