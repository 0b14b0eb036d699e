// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The slb policy (paper 1, section II.B) on ports without workers: round robin, refusal, the gate,
// the judge's verdicts, teams that grow, rings that are laid out late; and all of it between
// threads. xomp-test: timeout=120
#include <gtest/gtest.h>
#include <malloc.h>
#include <sched.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "ports.h"

namespace xomp {
namespace {

class Slb : public testing::Test {
protected:
  void SetUp() override { settings.queue_size = 4; }
  void TearDown() override { settings.queue_size = queue_size; }
  /// From a worker of `count` until all of its rings are full.
  void fill(Ports& ports, int from, int count) {
    for (int i = 0; i < count * 4; ++i)
      ASSERT_TRUE(ports.offer(from, tasks[i]));
  }
  DeferredTask tasks[64];

private:
  uint32_t queue_size = settings.queue_size;
};

TEST_F(Slb, GoesRoundTheTargetsBeginningWithTheOwnMasterRing) {
  Ports ports(SchedulerKind::kSlb, 3, 3);
  for (int i = 0; i < 5; ++i)
    ASSERT_TRUE(ports.offer(1, tasks[i]));
  EXPECT_EQ(ports.take(1), &tasks[0]);
  EXPECT_EQ(ports.take(2), &tasks[1]);
  EXPECT_EQ(ports.take(0), &tasks[2]);
  EXPECT_EQ(ports.take(1), &tasks[3]);
  EXPECT_EQ(ports.take(2), &tasks[4]);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(ports.take(i), nullptr);
}

TEST_F(Slb, TakesFromTheMasterRingFirstOldestFirst) {
  Ports ports(SchedulerKind::kSlb, 2, 2);
  ASSERT_TRUE(ports.offer(1, tasks[0])); // own
  ASSERT_TRUE(ports.offer(1, tasks[1])); // to 0
  ASSERT_TRUE(ports.offer(0, tasks[2])); // own
  ASSERT_TRUE(ports.offer(0, tasks[3])); // to 1
  ASSERT_TRUE(ports.offer(0, tasks[4])); // own
  EXPECT_EQ(ports.take(0), &tasks[2]);
  EXPECT_EQ(ports.take(0), &tasks[4]);
  EXPECT_EQ(ports.take(0), &tasks[1]);
  EXPECT_EQ(ports.take(0), nullptr);
  EXPECT_EQ(ports.take(1), &tasks[0]);
  EXPECT_EQ(ports.take(1), &tasks[3]);
}

TEST_F(Slb, GoesOnWithTheAuxiliaryRingWhereItLastFoundSomething) {
  Ports ports(SchedulerKind::kSlb, 3, 3);
  for (int i = 20; i < 26; ++i)
    ASSERT_TRUE(ports.offer(2, tasks[i])); // own, 0, 1, own, 0, 1
  EXPECT_EQ(ports.take(0), &tasks[21]);
  for (int i = 10; i < 16; ++i)
    ASSERT_TRUE(ports.offer(1, tasks[i])); // own, 2, 0, own, 2, 0
  EXPECT_EQ(ports.take(0), &tasks[24]);    // from 2 again
  EXPECT_EQ(ports.take(0), &tasks[12]);    // then 1
  EXPECT_EQ(ports.take(0), &tasks[15]);
  EXPECT_EQ(ports.take(0), nullptr);
}

TEST_F(Slb, RefusesAFullTargetAndGoesOnToTheNext) {
  Ports ports(SchedulerKind::kSlb, 2, 2);
  fill(ports, 0, 2);
  EXPECT_FALSE(ports.put(0, tasks[60]));
  ASSERT_EQ(ports.take(1), &tasks[1]); // room at 1
  EXPECT_TRUE(ports.has_room(0));      // the refusal has moved on to 1
  EXPECT_TRUE(ports.put(0, tasks[61]));
}

TEST_F(Slb, ClosesTheGateOnlyWhenEveryTargetWasFullInARow) {
  Ports ports(SchedulerKind::kSlb, 3, 3);
  fill(ports, 0, 3);
  EXPECT_TRUE(ports.opened(0));
  EXPECT_FALSE(ports.has_room(0));
  EXPECT_FALSE(ports.has_room(0));
  EXPECT_TRUE(ports.opened(0));
  EXPECT_FALSE(ports.has_room(0));
  EXPECT_TRUE(ports.closed(0));
  EXPECT_TRUE(ports.opened(1)) << "the gate of somebody else";
}

TEST_F(Slb, CountsRefusalsAnewAfterATargetHadRoom) {
  Ports ports(SchedulerKind::kSlb, 3, 3);
  fill(ports, 0, 3);
  EXPECT_FALSE(ports.has_room(0));
  EXPECT_FALSE(ports.has_room(0));
  ASSERT_NE(ports.take(2), nullptr);
  ASSERT_TRUE(ports.offer(0, tasks[60])); // to 2; all are full again
  EXPECT_FALSE(ports.has_room(0));
  EXPECT_FALSE(ports.has_room(0));
  EXPECT_TRUE(ports.opened(0));
  EXPECT_FALSE(ports.has_room(0));
  EXPECT_TRUE(ports.closed(0));
}

TEST_F(Slb, LeavesTheGateOpenWhenRoomWasMadeMeanwhile) {
  Ports ports(SchedulerKind::kSlb, 2, 2);
  fill(ports, 0, 2);
  EXPECT_FALSE(ports.has_room(0)); // 0 is full
  ASSERT_NE(ports.take(0), nullptr);
  EXPECT_FALSE(ports.has_room(0)); // 1 is full, so all were in a row; but 0 has room now
  EXPECT_TRUE(ports.opened(0));
  EXPECT_TRUE(ports.has_room(0));
}

TEST_F(Slb, OpensTheProducersGateWhenAnEntryIsTakenOrDropped) {
  for (Verdict verdict : {Verdict::kTake, Verdict::kDrop}) {
    for (int consumer : {0, 1}) {
      Ports ports(SchedulerKind::kSlb, 2, 2);
      fill(ports, 0, 2);
      for (int i = 0; i < 2; ++i)
        ports.has_room(0);
      ASSERT_TRUE(ports.closed(0));
      ports.take(consumer, verdict);
      EXPECT_TRUE(ports.opened(0));
      EXPECT_TRUE(ports.has_room(0) || ports.has_room(0));
    }
  }
}

TEST_F(Slb, NeverClosesAGateThatIsAlwaysOpen) {
  Ports ports(SchedulerKind::kSlb, 2, 2);
  ports[0].creates_slowly = true;
  fill(ports, 0, 2);
  for (int i = 0; i < 6; ++i)
    EXPECT_FALSE(ports.has_room(0));
  EXPECT_TRUE(ports.opened(0));
}

TEST_F(Slb, KeepsWhatTheJudgeKeeps) {
  Ports ports(SchedulerKind::kSlb, 2, 2);
  fill(ports, 0, 2);
  for (int i = 0; i < 2; ++i)
    ports.has_room(0);
  EXPECT_EQ(ports.take(1, Verdict::kKeep), nullptr);
  EXPECT_TRUE(ports.closed(0)) << "no room was made";
  EXPECT_EQ(ports.take(1), &tasks[1]);
}

TEST_F(Slb, DropsStaleEntriesOnTheWay) {
  Ports ports(SchedulerKind::kSlb, 2, 2);
  fill(ports, 0, 2);
  auto drop_first_three = [](DeferredTask* task, void* context) {
    const auto* all = static_cast<const DeferredTask*>(context);
    return task == &all[7] ? Verdict::kTake : Verdict::kDrop;
  };
  Judge judge{drop_first_three, tasks};
  EXPECT_EQ(policy_of(SchedulerKind::kSlb).take(ports[1], judge), &tasks[7]);
  EXPECT_EQ(ports.take(1), nullptr);
}

TEST_F(Slb, TellsToWhomATaskWent) {
  Ports ports(SchedulerKind::kSlb, 3, 3);
  const Policy& slb = policy_of(SchedulerKind::kSlb);
  for (int expected : {1, 2, 0, 1})
    EXPECT_EQ(slb.put(ports[1], &tasks[expected], false), expected) << "its own first, then round";
  for (int expected : {2, 0, 2, 0})
    EXPECT_EQ(slb.put(ports[1], &tasks[expected], true), expected) << "never its own";
}

TEST_F(Slb, ForgetsTheSizesOfTasksInANewTeam) {
  Ports ports(SchedulerKind::kSlb, 2, 2);
  ports[0].mean.store(1);
  ports.open(2);
  EXPECT_GT(ports[0].mean.load(), 1);
}

TEST_F(Slb, KeepsItsEntriesWhenTheTeamGrows) {
  Ports ports(SchedulerKind::kSlb, 5, 2);
  ASSERT_TRUE(ports.offer(0, tasks[0])); // own
  ASSERT_TRUE(ports.offer(0, tasks[1])); // to 1
  ports.open(5);
  for (int i = 2; i < 7; ++i)
    ASSERT_TRUE(ports.offer(0, tasks[i]));
  EXPECT_EQ(ports.take(0), &tasks[0]);
  EXPECT_EQ(ports.take(0), &tasks[2]);
  EXPECT_EQ(ports.take(1), &tasks[1]);
  EXPECT_EQ(ports.take(1), &tasks[3]);
  for (int i = 2; i < 5; ++i)
    EXPECT_EQ(ports.take(i), &tasks[i + 2]);
  // Smaller again: the others are no targets.
  ports.open(2);
  for (int i = 0; i < 8; ++i)
    ASSERT_TRUE(ports.offer(1, tasks[i]));
  EXPECT_FALSE(ports.has_room(1));
  for (int i = 2; i < 5; ++i)
    EXPECT_EQ(ports.take(i), nullptr);
}

TEST_F(Slb, LaysOutRingsOnlyForThoseWhoCreateTasks) {
  settings.queue_size = 1024;
  constexpr int kMany = 256;
  Ports ports(SchedulerKind::kSlb, kMany, 1);
  std::size_t before = mallinfo2().uordblks;
  ports.open(kMany);
  std::size_t opened = mallinfo2().uordblks;
  EXPECT_LT(opened - before, 512u * kMany);
  for (int i = 0; i < kMany; ++i)
    EXPECT_EQ(ports.take(i), nullptr);
  EXPECT_EQ(mallinfo2().uordblks, opened) << "a look costs no memory";
  ASSERT_TRUE(ports.offer(3, tasks[0]));
  // One ring and two rows.
  EXPECT_LT(mallinfo2().uordblks - opened,
            1024u * sizeof(void*) + 2u * kMany * sizeof(void*) + 1024u);
}

// Every worker creates tasks and takes what it finds; each task arrives once, and no gate stays
// closed over free rings.
TEST_F(Slb, HandsEveryTaskOverOnceBetweenThreads) {
  constexpr int kWorkers = 3;
  constexpr int kTasks = 12000;
  Ports ports(SchedulerKind::kSlb, kWorkers, kWorkers);
  struct Numbered : DeferredTask {
    std::atomic<int> taken{0};
    long content = 0; // not atomic: the ring has to order it
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
