// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The auto policy on ports without workers: anybody takes from anybody, what the judge keeps stays
// and hides nothing, and the number of tasks is bounded.
#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include "sched/occupied.h"
#include "sched/policy.h"
#include "sched/sleepers.h"
#include "sys/ticks.h"
#include "task/run.h"
#include "team/policies.h"

namespace xomp {
namespace {

/// Keeps the tasks in `kept`, drops those that are not ready, takes the rest.
struct Opinion {
  std::vector<DeferredTask*> kept;
};
Verdict decide(DeferredTask* task, void* context) {
  for (DeferredTask* each : static_cast<Opinion*>(context)->kept) {
    if (each == task)
      return Verdict::kKeep;
  }
  return task->phase(std::memory_order_relaxed) == kReady ? Verdict::kTake : Verdict::kDrop;
}

template <int kSize> class AutoTeamTest : public testing::Test {
protected:
  static constexpr int kWorkers = kSize;
  void SetUp() override {
    sleepers.reserve(kWorkers);
    for (int i = 0; i < kWorkers; ++i) {
      peers[i] = &ports[i];
      ports[i].id = i;
      ports[i].peers = peers;
      ports[i].count = kWorkers;
      ports[i].sleepers = &sleepers;
      policy.open(ports[i]);
    }
    for (DeferredTask& task : tasks)
      task.state.store(kReady);
  }
  void TearDown() override {
    for (Port& port : ports)
      policy.close(port);
    sleepers.end();
  }
  bool put(int at, DeferredTask& task) { return policy.put(ports[at], &task, false) != kNoRoom; }
  DeferredTask* take(int at, bool thorough = false, bool anything = false) {
    return policy.take(ports[at], Judge{decide, &opinion, thorough, anything,
                                        [](const DeferredTask* task) { return task->priority; }});
  }
  /// In a barrier.
  DeferredTask* take_any(int at) { return take(at, false, true); }
  void put_urgent(DeferredTask& task, int priority) {
    task.priority = priority;
    put(0, task);
    if (priority > 0)
      ports[0].urgency.put(priority);
  }
  void run_large(int at) { ports[at].ran_for = kTicksOfLarge + 1; }
  void run_small(int at) { ports[at].ran_for = 1; }
  /// Until what is put next is younger, for who ran a large task.
  static void let_time_pass() {
    for (int64_t begin = sys::ticks(); sys::ticks() - begin <= kTicksOfLarge / 8;) {
    }
  }
  /// Large tasks, put by these workers one after the other, are taken in that order.
  void expect_order(const std::vector<int>& producers) {
    int count = static_cast<int>(producers.size());
    for (int i = 0; i < count; ++i) {
      put(producers[i], tasks[i]);
      let_time_pass();
    }
    run_large(0);
    run_large(1);
    for (int i = 0; i < count; ++i)
      EXPECT_EQ(take_any(i % 2), &tasks[i]);
    EXPECT_EQ(take_any(0), nullptr);
  }

  const Policy& policy = policy_of(SchedulerKind::kAuto);
  Port ports[kWorkers];
  Port* peers[kWorkers];
  Sleepers sleepers;
  Opinion opinion;
  std::vector<DeferredTask> tasks{2048};
};

using AutoTest = AutoTeamTest<4>;
using LargeTeamTest = AutoTeamTest<200>;

TEST_F(LargeTeamTest, AQuickLookFindsWhatAnyOtherHasPut) {
  for (int round = 0; round < 3; ++round) {
    for (int producer : {0, 5, 63, 64, 130, 199}) {
      EXPECT_EQ(take(100), nullptr) << "now it is known that all queues are empty";
      put(producer, tasks[0]);
      EXPECT_EQ(take(100), &tasks[0]);
    }
  }
}

TEST_F(LargeTeamTest, QuickLooksInsideATaskGoThroughAllQueuesInTheEnd) {
  constexpr int kStrangers = 60, kOwn = 150;
  for (int i = 0; i < kStrangers; ++i) {
    opinion.kept.push_back(&tasks[i]);
    put(2 * i, tasks[i]);
  }
  put(kOwn, tasks[100]);
  DeferredTask* found = nullptr;
  int looks = 0;
  while (!found && looks < kStrangers) {
    ++looks;
    found = take(199);
  }
  EXPECT_EQ(found, &tasks[100]);
  EXPECT_GT(looks, 2) << "not all of them at once";
  EXPECT_EQ(take(199, true), nullptr);
}

TEST_F(LargeTeamTest, AThoroughLookFindsWhatNoHintTellsOf) {
  ports[0].count = Occupied::kWorthIt; // as in a small team: nothing is noted
  EXPECT_EQ(take(100), nullptr);
  put(0, tasks[0]);
  EXPECT_EQ(take(100), nullptr) << "the hint is missing";
  EXPECT_EQ(take(100, true), &tasks[0]);
}

TEST_F(LargeTeamTest, LargeOnesAreTakenInTheOrderInWhichTheyWerePut) {
  expect_order({120, 3, 64, 80, 7, 63});
}

TEST_F(LargeTeamTest, TheOldestLargeOneIsFoundWhereverItLies) {
  put(99, tasks[0]);
  let_time_pass();
  for (int i = 1; i < kWorkers; ++i)
    put(i < 99 ? i : (i + 1) % kWorkers, tasks[i]);
  run_large(100);
  EXPECT_EQ(take_any(100), &tasks[0]);
}

TEST_F(AutoTest, AnyWorkerTakesTheOldestTaskOfAnyOther) {
  put(1, tasks[0]);
  put(1, tasks[1]);
  EXPECT_EQ(take(3), &tasks[0]);
  EXPECT_EQ(take(0), &tasks[1]);
  EXPECT_EQ(take(2), nullptr);
}

TEST_F(AutoTest, ItsOwnComeFirst) {
  put(0, tasks[0]);
  put(1, tasks[1]);
  EXPECT_EQ(take(1), &tasks[1]);
}

TEST_F(AutoTest, LargeOnesAreTakenInTheOrderInWhichTheyWerePut) {
  expect_order({2, 0, 3, 1, 0, 2});
}

TEST_F(AutoTest, OfLargeOnesThatBecameReadyTogetherItsOwnComesFirst) {
  put(1, tasks[0]);
  put(0, tasks[1]);
  ports[0].ran_for = 1000 * kTicksOfLarge; // a lasting time, compared with that between the two
  EXPECT_EQ(take_any(0), &tasks[1]);
  EXPECT_EQ(take_any(0), &tasks[0]);
}

TEST_F(AutoTest, StaleEntriesInFrontLetNoYoungerTaskPass) {
  constexpr int kStale = 20;
  for (int i = 0; i < kStale; ++i) {
    put(1 + i % 2, tasks[i]);
    tasks[i].state.store(kDone);
    let_time_pass();
  }
  put(1, tasks[kStale]);
  let_time_pass();
  put(0, tasks[kStale + 1]);
  let_time_pass();
  put(1, tasks[kStale + 2]);
  run_large(0);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(take_any(0), &tasks[kStale + i]);
}

TEST_F(AutoTest, ThoseWithMoreTasksAroundThemCountAsPutLater) {
  for (Port& port : ports)
    port.depth = [](const DeferredTask* task) { return static_cast<uint32_t>(task->priority); };
  tasks[0].priority = tasks[1].priority = 100; // a second in all
  put(1, tasks[0]);
  let_time_pass();
  put(2, tasks[1]);
  let_time_pass();
  put(3, tasks[2]);
  run_large(0);
  EXPECT_EQ(take_any(0), &tasks[2]) << "its creator had no processor";
  EXPECT_EQ(take_any(0), &tasks[0]);
  EXPECT_EQ(take_any(0), &tasks[1]);
}

TEST_F(AutoTest, ThoseWithTasksAroundThemAreNotPassedForLong) {
  for (Port& port : ports)
    port.depth = [](const DeferredTask* task) { return static_cast<uint32_t>(task->priority); };
  tasks[0].priority = 1;
  run_large(1);
  put(1, tasks[0]);
  for (int64_t begin = sys::ticks(); sys::ticks() - begin <= 9 * kTicksOfLarge;) {
  }
  put(2, tasks[1]);
  run_large(0);
  EXPECT_EQ(take_any(0), &tasks[0]);
}

TEST_F(AutoTest, InsideATaskItsOwnComeFirstWhateverTheirAge) {
  put(1, tasks[0]);
  let_time_pass();
  put(0, tasks[1]);
  run_large(0);
  EXPECT_EQ(take(0), &tasks[1]);
}

TEST_F(AutoTest, WhoHasRunNoneYetKeepsToTheOrder) {
  put(3, tasks[0]);
  let_time_pass();
  put(1, tasks[1]);
  EXPECT_EQ(take_any(0), &tasks[0]);
  run_small(2);
  put(3, tasks[2]);
  let_time_pass();
  put(2, tasks[3]);
  EXPECT_EQ(take_any(2), &tasks[3]) << "its own first, as they are small";
}

TEST_F(AutoTest, WhoKnowsNothingOfItsOwnTakesThemToBeAsLargeAsWhatItRan) {
  count_size(ports[0], kTicksOfLarge);
  EXPECT_FALSE(offers_large(ports[0])) << "those are not";
  count_size(ports[0], 2 * kTicksOfLarge);
  EXPECT_TRUE(offers_large(ports[0]));
  note_sizes(ports[1], 1, kAssumedMean / 2);
  count_size(ports[1], 2 * kTicksOfLarge);
  EXPECT_FALSE(offers_large(ports[1])) << "somebody has run one of its own";
  note_sizes(ports[2], 16, 16 * kTicksOfLarge);
  EXPECT_EQ(ports[2].mean, kTicksOfLarge) << "what as many as it remembers took";
}

TEST_F(AutoTest, OneLargeTaskInFiftyIsNotForgottenAmongSmallOnes) {
  constexpr int64_t kEmpty = kWorthComing / 20;
  Port& creator = ports[1];
  creator.mean_at_once.store(kEmpty);
  for (int i = 0; i < 1000; ++i) {
    note_sizes(creator, 1, i % 50 == 0 ? 2 * kTicksOfLarge : kEmpty);
    ASSERT_FALSE(are_tiny(creator)) << i;
    ASSERT_FALSE(are_small(creator, kMostTaken)) << i;
  }
  for (int i = 0; i < 60; ++i)
    note_sizes(creator, kMostTaken, kMostTaken * kEmpty);
  EXPECT_TRUE(are_tiny(creator)) << "there has been none for long";
  for (int i = 0; i < 2000; ++i)
    note_sizes(creator, 1, kEmpty);
  EXPECT_EQ(creator.mean, kEmpty) << "down to what they take";
}

TEST_F(AutoTest, OneAtATimeIsTakenInTurn) {
  ports[1].mean.store(1); // a thief would take many
  for (int i = 0; i < 8; ++i)
    put(1, tasks[i]);
  run_large(0);
  EXPECT_EQ(take_any(0), &tasks[0]);
  EXPECT_EQ(policy.queued(ports[0]), 0);
  run_small(2);
  EXPECT_EQ(take_any(2), &tasks[1]);
  EXPECT_GT(policy.queued(ports[2]), 0) << "as it does where tasks are small";
}

TEST_F(AutoTest, LargeOnesOfItsOwnDomainComeBeforeOlderOnesOfAnother) {
  ports[2].domain = ports[3].domain = 1;
  put(3, tasks[0]);
  let_time_pass();
  put(1, tasks[1]);
  run_large(0);
  EXPECT_EQ(take_any(0), &tasks[1]);
  EXPECT_EQ(take_any(0), &tasks[0]);
}

TEST_F(AutoTest, AnOldTaskThatItMayNotStartHidesNoOther) {
  put(1, tasks[0]);
  let_time_pass();
  put(2, tasks[1]);
  opinion.kept = {&tasks[0]};
  run_large(0);
  EXPECT_EQ(take_any(0), &tasks[1]);
  EXPECT_EQ(take_any(0), nullptr);
}

TEST_F(AutoTest, ThoseOfTheOwnDomainComeBeforeOthers) {
  ports[2].domain = ports[3].domain = 1;
  put(0, tasks[0]);
  put(2, tasks[1]);
  EXPECT_EQ(take(3), &tasks[1]);
  EXPECT_EQ(take(3), &tasks[0]);
}

TEST_F(AutoTest, WhatTheJudgeKeepsIsLeftToOthersAndHidesNothing) {
  for (int i = 0; i < 20; ++i)
    put(0, tasks[i]);
  for (int i = 0; i < 10; ++i)
    opinion.kept.push_back(&tasks[i]);
  EXPECT_EQ(take(1), nullptr) << "a quick look goes on after a few entries";
  EXPECT_EQ(take(1, true), &tasks[10]);
  opinion.kept.clear();
  EXPECT_EQ(take(2), &tasks[0]);
}

TEST_F(AutoTest, AWaitLooksFartherAsItFindsNothing) {
  for (int i = 0; i < 20; ++i)
    put(0, tasks[i]);
  for (int i = 0; i < 19; ++i)
    opinion.kept.push_back(&tasks[i]);
  Search search;
  DeferredTask* found = nullptr;
  while (!found && search.in_vain < 100) {
    Judge judge{decide, &opinion};
    judge.few = search.few();
    found = policy.take(ports[1], judge);
    search.in_vain += !found;
  }
  EXPECT_EQ(found, &tasks[19]);
  EXPECT_EQ(search.in_vain, 7u) << "the eighth look goes eight times as far as the first";
  Search look;
  uint64_t passed = 0;
  for (look.in_vain = 0; look.in_vain < 1024; ++look.in_vain)
    passed += look.few();
  EXPECT_LE(passed / 1024, kFew * 11) << "on average as far as the logarithm";
}

TEST_F(AutoTest, StaleEntriesAreDropped) {
  for (int i = 0; i < 3; ++i)
    put(0, tasks[i]);
  tasks[0].state.store(kDone);
  tasks[1].state.store(kRunning);
  EXPECT_EQ(take(1), &tasks[2]);
  EXPECT_EQ(take(1), nullptr);
}

TEST_F(AutoTest, TheMostUrgentTaskIsTakenFirst) {
  const int priorities[] = {0, 0, 0, 2, 5, 5};
  for (int i = 0; i < 6; ++i)
    put_urgent(tasks[i], priorities[i]);
  for (int expected : {4, 5, 3, 0, 1, 2})
    EXPECT_EQ(take(2), &tasks[expected]);
}

TEST_F(AutoTest, WhatIsTakenAlongStaysUrgent) {
  settings.max_task_priority = 7;
  ports[0].mean.store(1); // a thief takes many
  run_small(1);
  tasks[4].priority = 7; // its producer has put it and not yet said so
  for (int i = 0; i < 16; ++i)
    put(0, tasks[i]);
  EXPECT_EQ(take_any(1), &tasks[0]);
  EXPECT_EQ(take(1), &tasks[4]) << "before older ones";
  settings.max_task_priority = 0;
}

TEST_F(AutoTest, WhatIsPutAfterASearchForUrgentTasksIsFound) {
  put_urgent(tasks[0], 0);
  put_urgent(tasks[1], 3);
  put_urgent(tasks[2], 0);
  EXPECT_EQ(take(1), &tasks[1]);
  EXPECT_EQ(take(1), &tasks[0]);
  EXPECT_EQ(ports[0].urgency.bound(), 0) << "none is urgent any more";
  put_urgent(tasks[3], 1);
  EXPECT_EQ(take(1), &tasks[3]);
}

TEST_F(AutoTest, AnUrgentTaskThatIsKeptIsLookedForAgain) {
  put_urgent(tasks[0], 2);
  put_urgent(tasks[1], 0);
  opinion.kept = {&tasks[0]};
  EXPECT_EQ(take(1), &tasks[1]);
  put_urgent(tasks[2], 0);
  opinion.kept.clear();
  EXPECT_EQ(take(1), &tasks[0]);
}

/// Twice as many as the peers let wait: 256 of one creator, 64 for each thread of the team.
TEST_F(AutoTest, EachProducerHasRoomForAsManyAsThePeersLetWait) {
  std::size_t all = 0;
  for (int producer : {0, 1}) {
    std::size_t accepted = 0;
    while (policy.has_room(ports[producer]) && put(producer, tasks[all + accepted]))
      ASSERT_LT(all + ++accepted, tasks.size());
    EXPECT_EQ(accepted, 2 * 256u) << "whatever others have";
    EXPECT_TRUE(policy.is_crowded(ports[producer]));
    all += accepted;
  }
}

TEST_F(AutoTest, HalfOfThatIsLeftToWhatComesAfterATaskwait) {
  EXPECT_FALSE(policy.is_crowded(ports[0]));
  for (std::size_t i = 0; i < 255; ++i)
    put(0, tasks[i]);
  EXPECT_FALSE(policy.is_crowded(ports[0]));
  put(0, tasks[255]);
  EXPECT_TRUE(policy.is_crowded(ports[0]));
  EXPECT_TRUE(policy.has_room(ports[0]));
}

TEST_F(AutoTest, TakingMakesRoom) {
  std::size_t accepted = 0;
  while (policy.has_room(ports[0]) && put(0, tasks[accepted]))
    ++accepted;
  ASSERT_FALSE(policy.has_room(ports[0]));
  EXPECT_NE(take(1), nullptr);
  EXPECT_TRUE(policy.has_room(ports[0]));
}

TEST_F(AutoTest, TakingBackMakesRoom) {
  std::size_t accepted = 0;
  while (policy.has_room(ports[0]) && put(0, tasks[accepted]))
    ++accepted;
  ASSERT_FALSE(policy.has_room(ports[0]));
  EXPECT_FALSE(policy.retract(ports[0], &tasks[0]));
  EXPECT_TRUE(policy.retract(ports[0], &tasks[accepted - 1]));
  EXPECT_TRUE(policy.has_room(ports[0]));
}

TEST_F(AutoTest, InAForkedChildNoThiefHoldsTheRing) {
  put(0, tasks[0]);
  struct Seen {
    const Policy& policy;
    Port& port;
    bool before = true, after = false;
  } seen{policy, ports[0]};
  // A thief looks at the ring while another thread forks.
  auto decide = [](DeferredTask* task, void* context) {
    auto& seen = *static_cast<Seen*>(context);
    seen.before = seen.policy.retract(seen.port, task);
    seen.policy.after_fork(seen.port);
    seen.after = seen.policy.retract(seen.port, task);
    std::_Exit(!seen.before && seen.after ? 0 : 1); // in the child the thief does not go on
    return Verdict::kTake;
  };
  EXPECT_EXIT(policy.take(ports[1], Judge{decide, &seen}), testing::ExitedWithCode(0), "");
}

TEST_F(AutoTest, ARingFullOfStaleTasksHasRoom) {
  static bool stale;
  ports[0].stale = [](DeferredTask*) { return stale; };
  stale = false;
  std::size_t accepted = 0;
  while (policy.has_room(ports[0]) && put(0, tasks[accepted]))
    ++accepted;
  ASSERT_FALSE(policy.has_room(ports[0]));
  stale = true;
  EXPECT_TRUE(policy.has_room(ports[0]));
  EXPECT_EQ(take(1), nullptr) << "nobody comes to look at them";
}

TEST_F(AutoTest, AThiefTakesSeveralSmallTasksAtOnceWhereOthersStillFindThem) {
  ports[0].mean.store(sys::kTicksOfMicrosecond);
  for (int i : {0, 1, 2})
    run_small(i);
  for (int i = 0; i < 40; ++i)
    put(0, tasks[i]);
  uint64_t before = sleepers.moves_so_far();
  EXPECT_EQ(take(1, false, true), &tasks[0]);
  EXPECT_TRUE(sleepers.moved_since(before))
      << "others may have looked while they were on their way";
  EXPECT_EQ(take(1, false, true), &tasks[1]);
  EXPECT_EQ(take(0, false, true), &tasks[10]) << "10 microseconds' worth are gone";
  EXPECT_EQ(take(2, false, true)->phase(std::memory_order_relaxed), kReady);
  int left = 0;
  while (take(3, true, true))
    ++left;
  EXPECT_EQ(left, 36);
}

TEST_F(AutoTest, AThiefTakesLargeTasksOneByOne) {
  ports[0].mean.store(sys::kTicksOfMicrosecond * 100);
  for (int i = 0; i < 40; ++i)
    put(0, tasks[i]);
  EXPECT_EQ(take(1, false, true), &tasks[0]);
  EXPECT_EQ(take(2, false, true), &tasks[1]);
}

TEST_F(AutoTest, TasksSurviveAWiderTeam) {
  Port* two[2] = {&ports[0], &ports[1]};
  for (Port* port : two) {
    policy.close(*port);
    port->count = 2;
    port->peers = two;
    policy.open(*port);
  }
  put(0, tasks[0]);
  for (Port& port : ports) {
    port.peers = peers;
    port.count = kWorkers;
    policy.open(port);
  }
  EXPECT_EQ(take(3), &tasks[0]);
}

} // namespace
} // namespace xomp
