// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The policies of paper 5 (q, l, cq, ws, mts) on ports without workers: who puts where, who takes
// what in which order, steals and their counters, gates; and all of it between threads.
// xomp-test: timeout=120
#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "ports.h"

namespace xomp {
namespace {

class Paper5 : public testing::Test {
protected:
  void SetUp() override { settings.queue_size = 4; }
  void TearDown() override {
    settings.queue_size = queue_size;
    settings.chunk = 0;
    settings.locality = LocalityMode::kRelaxed;
  }
  /// Takes the tasks with these numbers, in this order, and then nothing.
  void expect_takes(Ports& ports, int at, std::initializer_list<int> numbers) {
    for (int number : numbers)
      EXPECT_EQ(ports.take(at), &tasks[number]) << "by " << at;
    EXPECT_EQ(ports.take(at), nullptr) << "by " << at;
  }
  void offer(Ports& ports, int from, int first, int last) {
    for (int i = first; i <= last; ++i)
      ASSERT_TRUE(ports.offer(from, tasks[i])) << i;
  }
  /// As a worker that may start only one task.
  DeferredTask* take_only(Ports& ports, SchedulerKind kind, int at, int number) {
    auto only = [](DeferredTask* task, void* context) {
      return task == context ? Verdict::kTake : Verdict::kKeep;
    };
    return policy_of(kind).take(ports[at], Judge{only, &tasks[number], true});
  }
  /// As before a sleep.
  static DeferredTask* take_thoroughly(Ports& ports, int at) {
    Verdict take = Verdict::kTake;
    return ports[at].policy->take(ports[at], Judge{always, &take, true});
  }
  DeferredTask tasks[200];

private:
  uint32_t queue_size = settings.queue_size;
};

using Q = Paper5;
using L = Paper5;
using Cq = Paper5;
using Ws = Paper5;
using Mts = Paper5;

class EachPolicy : public Paper5, public testing::WithParamInterface<SchedulerKind> {};
INSTANTIATE_TEST_SUITE_P(Policies, EachPolicy,
                         testing::Values(SchedulerKind::kQ, SchedulerKind::kL, SchedulerKind::kCq,
                                         SchedulerKind::kWs, SchedulerKind::kMts),
                         [](const auto& each) { return scheduler_name(each.param); });

TEST_P(EachPolicy, ALookThatTakesNothingMovesNothing) {
  // Else a look before a sleep, which is repeated after each move, would go on for ever.
  settings.chunk = 8;
  Ports ports(GetParam(), 4, 4, 2);
  offer(ports, 3, 0, 2);
  uint64_t before = ports.sleepers.moves_so_far();
  EXPECT_EQ(take_only(ports, GetParam(), 0, 9), nullptr);
  EXPECT_FALSE(ports.sleepers.moved_since(before));
}

TEST_P(EachPolicy, DealsQueuesOutRoundRobinOrKeepsTasksWithTheirCreator) {
  Ports ports(GetParam(), 3, 3);
  bool deals = GetParam() == SchedulerKind::kQ || GetParam() == SchedulerKind::kL;
  for (int expected : {1, 2, 0, 1})
    EXPECT_EQ(policy_of(GetParam()).put(ports[1], &tasks[expected], false), deals ? expected : 1);
}

TEST_P(EachPolicy, FindsATaskBehindOthersThatItMayNotStart) {
  Ports ports(GetParam(), 1, 1);
  offer(ports, 0, 0, 3);
  EXPECT_EQ(take_only(ports, GetParam(), 0, 2), &tasks[2]);
  EXPECT_EQ(take_only(ports, GetParam(), 0, 2), nullptr);
  for (int left = 3; left > 0; --left)
    EXPECT_NE(take_thoroughly(ports, 0), nullptr) << "the others are still there";
  EXPECT_EQ(take_thoroughly(ports, 0), nullptr);
}

TEST_P(EachPolicy, SeesBeforeASleepAllThatAnyWorkerMayTake) {
  // Else two workers sleep whose queues hold what only the other one may start.
  if (!policy_of(GetParam()).shared)
    GTEST_SKIP() << "what lies in a queue is shown to others by its worker";
  Ports ports(GetParam(), 4, 4, 2);
  offer(ports, 0, 0, 2);
  offer(ports, 3, 3, 5);
  EXPECT_EQ(take_only(ports, GetParam(), 0, 4), &tasks[4]);
  EXPECT_EQ(take_only(ports, GetParam(), 3, 1), &tasks[1]);
}

TEST_P(EachPolicy, ClosesTheGateWhenThereIsNoRoomAndOpensItWhenThereIs) {
  constexpr int kWorkers = 2;
  Ports ports(GetParam(), kWorkers, kWorkers);
  int next = 0;
  while (!ports.closed(0)) {
    ASSERT_LE(next, 64);
    if (ports.has_room(0)) {
      ASSERT_TRUE(ports.put(0, tasks[next]));
    }
    ++next;
  }
  EXPECT_FALSE(ports.put(0, tasks[100])) << "full";
  EXPECT_TRUE(ports.opened(1)) << "the gate of somebody else";
  ASSERT_NE(ports.take(1), nullptr);
  EXPECT_TRUE(ports.closed(0)) << "not for a single task";
  while (ports.closed(0))
    ASSERT_NE(ports.take(1), nullptr) << "nothing left, and still closed";
  EXPECT_TRUE(ports.has_room(0) || ports.has_room(0));
}

TEST_P(EachPolicy, NeverClosesAGateThatIsAlwaysOpen) {
  Ports ports(GetParam(), 2, 2);
  ports[0].creates_slowly = true;
  for (int i = 0; i < 40; ++i) {
    if (ports.has_room(0))
      ports.put(0, tasks[i]);
  }
  EXPECT_FALSE(ports.has_room(0));
  EXPECT_TRUE(ports.opened(0));
}

TEST_P(EachPolicy, ForgetsTheSizesOfTasksInANewTeam) {
  Ports ports(GetParam(), 2, 2);
  ports[0].mean.store(1);
  ports.open(2);
  EXPECT_GT(ports[0].mean.load(), 1);
}

TEST_P(EachPolicy, KeepsItsEntriesWhenTheTeamGrowsOrShrinks) {
  Ports ports(GetParam(), 6, 2, 3);
  offer(ports, 0, 0, 1);
  ports.open(6);
  offer(ports, 5, 2, 4);
  int found = 0;
  for (int i = 0; i < 6; ++i) {
    while (ports.take(i))
      ++found;
  }
  EXPECT_EQ(found, 5);
  offer(ports, 0, 5, 6);
  ports.open(2);
  for (int i = 0; i < 2; ++i) {
    while (ports.take(i))
      ++found;
  }
  EXPECT_EQ(found, 7);
}

TEST_F(Q, IsAFifoForEachWorkerAndNobodyStealsFromIt) {
  Ports ports(SchedulerKind::kQ, 2, 2);
  offer(ports, 0, 0, 5); // own, 1, own, 1, ...
  expect_takes(ports, 1, {1, 3, 5});
  expect_takes(ports, 0, {0, 2, 4});
}

TEST_F(L, IsALifoForEachWorkerAndNobodyStealsFromIt) {
  Ports ports(SchedulerKind::kL, 2, 2);
  offer(ports, 0, 0, 5);
  expect_takes(ports, 1, {5, 3, 1});
  expect_takes(ports, 0, {4, 2, 0});
}

TEST_F(Q, PassesATaskOnToSomebodyElseWhenAsked) {
  for (SchedulerKind kind : {SchedulerKind::kQ, SchedulerKind::kL}) {
    Ports ports(kind, 3, 3);
    for (int expected : {2, 0, 2, 0})
      EXPECT_EQ(policy_of(kind).put(ports[1], &tasks[expected], true), expected);
  }
}

TEST_F(Q, RefusesAFullTargetAndGoesOnToTheNext) {
  for (SchedulerKind kind : {SchedulerKind::kQ, SchedulerKind::kL}) {
    Ports ports(kind, 2, 2);
    offer(ports, 0, 0, 7);
    EXPECT_FALSE(ports.put(0, tasks[8]));
    ASSERT_NE(ports.take(1), nullptr);
    EXPECT_TRUE(ports.has_room(0)) << "the refusal has moved on to 1";
    EXPECT_TRUE(ports.put(0, tasks[9]));
  }
}

TEST_F(Cq, IsOneLifoForAll) {
  Ports ports(SchedulerKind::kCq, 3, 3, 3);
  offer(ports, 0, 0, 1);
  offer(ports, 2, 2, 2);
  EXPECT_EQ(ports.take(1), &tasks[2]);
  EXPECT_EQ(ports.take(2), &tasks[1]);
  expect_takes(ports, 1, {0});
  EXPECT_EQ(ports[1].counters.remote_steals, 0u) << "a shared queue is nobody's";
}

TEST_F(Ws, TakesItsOwnNewestAndTheOldestOfOthers) {
  Ports ports(SchedulerKind::kWs, 2, 2);
  offer(ports, 0, 0, 3);
  EXPECT_EQ(ports.take(1), &tasks[0]);
  EXPECT_EQ(ports.take(0), &tasks[3]);
  expect_takes(ports, 1, {1, 2});
}

TEST_F(Ws, BeginsWithTheNearestIds) {
  Ports ports(SchedulerKind::kWs, 6, 6);
  for (int victim = 0; victim < 6; ++victim)
    offer(ports, victim, victim, victim);
  expect_takes(ports, 1, {1, 2, 0, 3, 5, 4});
}

TEST_F(Ws, CountsStealsFromOtherDomains) {
  Ports ports(SchedulerKind::kWs, 4, 4, 2); // 0 and 1, 2 and 3
  offer(ports, 0, 0, 1);
  ASSERT_NE(ports.take(1), nullptr);
  EXPECT_EQ(ports[1].counters.remote_steals, 0u);
  ASSERT_NE(ports.take(2), nullptr);
  EXPECT_EQ(ports[2].counters.remote_steals, 1u);
  offer(ports, 0, 2, 2);
  EXPECT_EQ(ports.take(2, Verdict::kDrop), nullptr);
  EXPECT_EQ(ports[2].counters.failed_steals, 1u);
  EXPECT_EQ(ports.take(2), nullptr);
  EXPECT_EQ(ports[2].counters.failed_steals, 1u) << "nothing was promised";
  offer(ports, 0, 2, 2);
  EXPECT_EQ(ports.take(2, Verdict::kKeep), nullptr);
  EXPECT_EQ(ports[2].counters.failed_steals, 1u) << "there was a task";
  EXPECT_EQ(ports[2].counters.refused_steals, 1u);
}

TEST_F(Ws, LooksLessOftenWhereItMayTakeNothing) {
  Ports ports(SchedulerKind::kWs, 2, 2);
  offer(ports, 0, 0, 0);
  int asked = 0;
  auto keep = [](DeferredTask*, void* context) {
    return ++*static_cast<int*>(context), Verdict::kKeep;
  };
  const Policy& ws = policy_of(SchedulerKind::kWs);
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(ws.take(ports[1], Judge{keep, &asked}), nullptr);
  EXPECT_GE(asked, 3);
  EXPECT_LE(asked, 10);
  asked = 0;
  EXPECT_EQ(ws.take(ports[1], Judge{keep, &asked, true}), nullptr);
  EXPECT_EQ(asked, 1) << "a thorough look passes nothing over";
}

TEST_F(Mts, SharesALifoInEachDomain) {
  Ports ports(SchedulerKind::kMts, 4, 4, 2);
  offer(ports, 0, 0, 1);
  offer(ports, 1, 2, 2);
  offer(ports, 2, 3, 3);
  EXPECT_EQ(ports.take(1), &tasks[2]);
  EXPECT_EQ(ports.take(3), &tasks[3]);
  EXPECT_EQ(ports.take(0), &tasks[1]);
  EXPECT_EQ(ports[3].counters.remote_steals, 0u);
}

TEST_F(Mts, StealsAChunkOfTheOldestForAllWorkersOfTheDomain) {
  Ports ports(SchedulerKind::kMts, 6, 6, 2); // three workers each
  offer(ports, 0, 0, 9);
  EXPECT_EQ(ports.take(3), &tasks[0]);
  EXPECT_EQ(ports[3].counters.remote_steals, 1u);
  // The rest of the chunk lies in the thief's domain now.
  EXPECT_EQ(ports.take(4), &tasks[2]);
  EXPECT_EQ(ports.take(5), &tasks[1]);
  EXPECT_EQ(ports[4].counters.remote_steals + ports[5].counters.remote_steals, 0u);
  EXPECT_EQ(ports.take(0), &tasks[9]) << "the victim keeps its newest";
  EXPECT_EQ(ports.take(5), &tasks[3]);
  EXPECT_EQ(ports[5].counters.remote_steals, 1u);
}

TEST_F(Mts, LetsOneWorkerOfADomainSteal) {
  Ports ports(SchedulerKind::kMts, 4, 4, 2);
  offer(ports, 0, 0, 3);
  struct Second {
    Ports& ports;
    DeferredTask* found = nullptr;
  } second{ports};
  // While worker 2 decides about a task of the other domain, worker 3 finds somebody at it.
  auto look_meanwhile = [](DeferredTask*, void* context) {
    auto& other = *static_cast<Second*>(context);
    Verdict take = Verdict::kTake;
    other.found = other.ports[3].policy->take(other.ports[3], Judge{always, &take});
    return Verdict::kTake;
  };
  EXPECT_EQ(policy_of(SchedulerKind::kMts).take(ports[2], Judge{look_meanwhile, &second}),
            &tasks[0]);
  EXPECT_EQ(second.found, nullptr);
  EXPECT_EQ(ports.take(3), &tasks[1]) << "of the chunk";
}

TEST_F(Mts, StealsAsManyAsXompChunkSays) {
  for (int chunk : {1, 2, 5, 100}) {
    settings.chunk = chunk;
    Ports ports(SchedulerKind::kMts, 4, 4, 2);
    offer(ports, 0, 0, 6);
    EXPECT_EQ(ports.take(2), &tasks[0]);
    int brought = 0;
    while (ports[2].counters.remote_steals + ports[3].counters.remote_steals == 1 && ports.take(3))
      ++brought;
    brought -= ports[3].counters.remote_steals != 0;
    EXPECT_EQ(brought, chunk < 7 ? chunk - 1 : 6);
  }
}

TEST_F(Mts, BeginsWithTheNextDomainAndNeverStealsWhatItMayNotStart) {
  Ports ports(SchedulerKind::kMts, 8, 8, 4);
  offer(ports, 0, 0, 0);
  offer(ports, 6, 3, 3);
  EXPECT_EQ(take_only(ports, SchedulerKind::kMts, 4, 9), nullptr);
  EXPECT_EQ(ports[4].counters.refused_steals, 2u);
  EXPECT_EQ(ports[4].counters.failed_steals, 0u) << "there were tasks";
  EXPECT_EQ(ports[4].counters.remote_steals, 0u);
  EXPECT_EQ(ports.take(1), &tasks[0]) << "it is where it was";
  offer(ports, 0, 0, 0);
  EXPECT_EQ(ports.take(4), &tasks[3]) << "domain 3 comes after 2";
  EXPECT_EQ(ports.take(4), &tasks[0]);
}

TEST_F(Mts, PutsATaskIntoTheDomainForWhichItIsMeant) {
  Ports ports(SchedulerKind::kMts, 4, 4, 2);
  ports[0].placement = 1;
  const Policy& mts = policy_of(SchedulerKind::kMts);
  EXPECT_TRUE(mts.has_room(ports[0]));
  EXPECT_EQ(mts.put(ports[0], &tasks[0], false), 2) << "a worker of that domain";
  ports[0].placement = -1;
  EXPECT_EQ(mts.put(ports[0], &tasks[1], false), 0);
  EXPECT_EQ(ports.take(1), &tasks[1]);
  EXPECT_EQ(ports.take(3), &tasks[0]);
  EXPECT_EQ(ports[3].counters.remote_steals, 0u);
}

TEST_F(Mts, StealsNothingInStrictMode) {
  settings.locality = LocalityMode::kStrict;
  Ports ports(SchedulerKind::kMts, 4, 4, 2);
  offer(ports, 0, 0, 2);
  EXPECT_EQ(take_thoroughly(ports, 2), nullptr);
  expect_takes(ports, 1, {2, 1, 0});
}

TEST_F(Mts, KeepsTheGateOpenForAWorkerThatPlacesTasks) {
  Ports ports(SchedulerKind::kMts, 2, 2, 2);
  ports[0].places_tasks = true;
  for (int i = 0; ports.has_room(0); ++i)
    ASSERT_TRUE(ports.put(0, tasks[i]));
  EXPECT_TRUE(ports.opened(0));
}

TEST_F(Mts, TellsInWhichDomainATaskIsPut) {
  Ports ports(SchedulerKind::kMts, 8, 8, 4);
  const Policy& mts = policy_of(SchedulerKind::kMts);
  EXPECT_EQ(mts.place(ports[0], 3), 3);
  EXPECT_EQ(mts.place(ports[0], 0), -1) << "its own";
  ports.open(2); // two workers, both in domain 0
  EXPECT_EQ(mts.place(ports[0], 0), -1);
}

TEST_F(Mts, KeepsTheGateOpenWhenOnlyAnotherDomainIsFull) {
  Ports ports(SchedulerKind::kMts, 2, 2, 2);
  ports[0].placement = 1;
  for (int i = 0; ports.has_room(0); ++i)
    ASSERT_TRUE(ports.put(0, tasks[i]));
  EXPECT_TRUE(ports.opened(0));
  ports[0].placement = -1;
  EXPECT_TRUE(ports.has_room(0));
}

// Every worker creates tasks and takes what it finds; each task arrives once, and no gate stays
// closed over free queues.
TEST_P(EachPolicy, HandsEveryTaskOverOnceBetweenThreads) {
  constexpr int kWorkers = 4;
  constexpr int kTasks = 8000;
  Ports ports(GetParam(), kWorkers, kWorkers, 2);
  struct Numbered : DeferredTask {
    std::atomic<int> taken{0};
    long content = 0; // not atomic: the queue has to order it
  };
  std::unique_ptr<Numbered[]> all(new Numbered[kWorkers * kTasks]);
  std::atomic<long> left{static_cast<long>(kWorkers) * kTasks};
  auto work = [&](int me) {
    int created = 0;
    while (left.load() > 0) {
      if (created < kTasks) {
        Numbered& task = all[static_cast<std::size_t>(me * kTasks + created++)];
        task.content = created;
        // Refused, or the gate is closed: it is run at once.
        if (ports.closed(me) || !ports.offer(me, task)) {
          task.taken++;
          left--;
        }
      }
      if (created % 8 != 0 && created < kTasks)
        continue;
      auto* task = static_cast<Numbered*>(ports.take(me));
      if (!task) {
        sched_yield();
        continue;
      }
      EXPECT_GT(task->content, 0);
      task->taken++;
      left--;
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < kWorkers; ++i)
    threads.emplace_back(work, i);
  for (std::thread& thread : threads)
    thread.join();
  for (int i = 0; i < kWorkers * kTasks; ++i)
    ASSERT_EQ(all[static_cast<std::size_t>(i)].taken, 1);
  for (int i = 0; i < kWorkers; ++i) {
    EXPECT_TRUE(ports.opened(i));
    EXPECT_EQ(ports.take(i), nullptr);
  }
}

} // namespace
} // namespace xomp
