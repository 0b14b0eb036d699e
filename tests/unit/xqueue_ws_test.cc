// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// xqueue-ws (paper 4, section 3.1): XQueue with one auxiliary queue, from whose queues others
// steal; on ports without workers, and its ring between threads.
// xomp-test: timeout=120
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "ports.h"
#include "queue/spmc_ring.h"

namespace xomp {
namespace {

class XqueueWs : public testing::Test {
protected:
  void SetUp() override { settings.queue_size = 4; }
  void TearDown() override { settings = before; }
  /// The target of each task.
  int put(Ports& ports, int worker, DeferredTask& task, bool to_another = false) {
    return ports[worker].policy->put(ports[worker], &task, to_another);
  }
  /// As a worker that may start only one task.
  DeferredTask* take_only(Ports& ports, int at, DeferredTask& wanted) {
    auto only = [](DeferredTask* task, void* context) {
      return task == context ? Verdict::kTake : Verdict::kKeep;
    };
    return ports[at].policy->take(ports[at], Judge{only, &wanted, true});
  }
  DeferredTask tasks[64];

private:
  Settings before = settings;
};

TEST_F(XqueueWs, SendsToItselfAndToTheNextWorkerInTurn) {
  Ports ports(SchedulerKind::kXqueueWs, 3, 3);
  for (int expected : {1, 2, 1, 2})
    EXPECT_EQ(put(ports, 1, tasks[0]), expected);
  EXPECT_EQ(put(ports, 2, tasks[0]), 2);
  EXPECT_EQ(put(ports, 2, tasks[0]), 0) << "the first after the last";
  EXPECT_EQ(put(ports, 0, tasks[0], true), 1) << "elsewhere";
  EXPECT_EQ(put(ports, 0, tasks[0], true), 1);
}

TEST_F(XqueueWs, TakesItsMasterQueueFirstThenItsAuxiliaryOldestFirst) {
  Ports ports(SchedulerKind::kXqueueWs, 4, 4);
  for (int i = 0; i < 4; ++i) // 0 and 2 to worker 0, 1 and 3 to worker 1
    put(ports, 0, tasks[i]);
  put(ports, 1, tasks[4]);
  EXPECT_EQ(ports.take(1), &tasks[4]);
  EXPECT_EQ(ports.take(1), &tasks[1]);
  EXPECT_EQ(ports.take(1), &tasks[3]);
}

TEST_F(XqueueWs, StealsFromWhereverThereIsSomething) {
  for (int holder = 0; holder < 5; ++holder) {
    Ports ports(SchedulerKind::kXqueueWs, 5, 5);
    put(ports, holder, tasks[0]);
    put(ports, holder, tasks[1]);
    int thief = (holder + 3) % 5;
    EXPECT_NE(ports.take(thief), nullptr);
    EXPECT_NE(ports.take(thief), nullptr);
    EXPECT_EQ(ports.take(thief), nullptr);
  }
}

TEST_F(XqueueWs, BeginsWithAVictimThatIsDrawn) {
  // A thief that always began with the same one would empty that one first.
  std::set<DeferredTask*> first;
  Ports ports(SchedulerKind::kXqueueWs, 8, 8);
  for (int round = 0; round < 40; ++round) {
    for (int i = 1; i < 8; ++i)
      put(ports, i, tasks[i], false);
    first.insert(ports.take(0));
    while (ports.take(0)) {
    }
    ports.open(8);
  }
  EXPECT_GE(first.size(), 1u);
  ports.open(8);
  first.clear();
  for (int round = 0; round < 40; ++round) {
    for (int i = 2; i < 7; ++i)
      ASSERT_EQ(put(ports, i, tasks[i]), round % 2 ? (i + 1) % 8 : i);
    first.insert(ports.take(0));
    while (ports.take(0)) {
    }
  }
  EXPECT_GE(first.size(), 3u);
}

TEST_F(XqueueWs, CountsStealsFromOtherDomains) {
  Ports ports(SchedulerKind::kXqueueWs, 4, 4, 2); // 0 and 1, 2 and 3
  put(ports, 0, tasks[0]);
  ASSERT_EQ(ports.take(3), &tasks[0]);
  EXPECT_EQ(ports[3].counters.remote_steals, 1u);
  put(ports, 2, tasks[1]);
  ASSERT_EQ(ports.take(3), &tasks[1]);
  EXPECT_EQ(ports[3].counters.remote_steals, 1u);
}

TEST_F(XqueueWs, FindsATaskBehindOthersThatItMayNotStart) {
  Ports ports(SchedulerKind::kXqueueWs, 1, 1);
  for (int i = 0; i < 4; ++i)
    ASSERT_TRUE(ports.offer(0, tasks[i]));
  EXPECT_EQ(take_only(ports, 0, tasks[2]), &tasks[2]);
  EXPECT_EQ(take_only(ports, 0, tasks[2]), nullptr);
  for (int left : {0, 1, 3})
    EXPECT_EQ(ports.take(0), &tasks[left]);
}

TEST_F(XqueueWs, ClosesTheGateWhenBothQueuesAreFullAndAThiefOpensIt) {
  Ports ports(SchedulerKind::kXqueueWs, 4, 4);
  for (int i = 0; i < 8; ++i)
    ASSERT_TRUE(ports.offer(0, tasks[i])) << i;
  EXPECT_FALSE(ports.has_room(0));
  EXPECT_TRUE(ports.opened(0)) << "the other queue may have room";
  EXPECT_FALSE(ports.has_room(0));
  EXPECT_TRUE(ports.closed(0));
  ASSERT_NE(ports.take(2), nullptr);
  EXPECT_TRUE(ports.opened(0));
}

TEST_F(XqueueWs, OpensTheGateWhenAStaleEntryGoes) {
  Ports ports(SchedulerKind::kXqueueWs, 2, 2);
  for (int n = 0; !ports.closed(0); ++n) {
    ASSERT_LT(n, 20);
    ports.offer(0, tasks[n]);
  }
  EXPECT_EQ(ports.take(1, Verdict::kDrop), nullptr);
  EXPECT_TRUE(ports.opened(0));
}

TEST_F(XqueueWs, ARingGoesOnBehindAnEntryThatStays) {
  auto* ring = SpmcRing<DeferredTask>::create(4);
  auto none_but = [&](DeferredTask& wanted) {
    return ring->take(
        [&](DeferredTask* task) { return task == &wanted ? Verdict::kTake : Verdict::kKeep; },
        UINT32_MAX, true);
  };
  ASSERT_TRUE(ring->push(&tasks[0]));
  for (int i = 1; i < 4; ++i) {
    ASSERT_TRUE(ring->push(&tasks[i]));
    EXPECT_EQ(none_but(tasks[i]), &tasks[i]);
  }
  EXPECT_FALSE(ring->push(&tasks[4])) << "its slot is that of the entry that stays";
  EXPECT_EQ(none_but(tasks[0]), &tasks[0]);
  // Round and round, far beyond the number of slots.
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(ring->push(&tasks[i % 8]));
    EXPECT_EQ(none_but(tasks[i % 8]), &tasks[i % 8]);
    EXPECT_EQ(ring->occupied(), 0);
  }
  SpmcRing<DeferredTask>::destroy(ring);
}

TEST_F(XqueueWs, AChildOfForkGivesUpWhatSomebodyElseHeld) {
  auto* ring = SpmcRing<DeferredTask>::create(4);
  ASSERT_TRUE(ring->push(&tasks[0]));
  ASSERT_TRUE(ring->push(&tasks[1]));
  DeferredTask* second = nullptr;
  // The thread that decides about the first entry is gone in the child.
  ring->take(
      [&](DeferredTask*) {
        ring->after_fork();
        second = ring->take([](DeferredTask*) { return Verdict::kTake; }, 1, true);
        return Verdict::kDrop;
      },
      1, true);
  EXPECT_EQ(second, &tasks[1]);
  SpmcRing<DeferredTask>::destroy(ring);
}

TEST_F(XqueueWs, EachTaskArrivesOnceBetweenThreads) {
  constexpr int kWorkers = 4, kEach = 20'000;
  Ports ports(SchedulerKind::kXqueueWs, kWorkers, kWorkers);
  struct Numbered : DeferredTask {
    std::atomic<int> taken{0};
    long content = 0; // not atomic: the rings have to order it
  };
  std::unique_ptr<Numbered[]> all(new Numbered[kWorkers * kEach]);
  std::atomic<int> left{kWorkers * kEach};
  auto finish = [&](Numbered& task) {
    EXPECT_GT(task.content, 0);
    ++task.taken;
    --left;
  };
  auto work = [&](int me) {
    for (int created = 0; left > 0;) {
      if (created < kEach && (me == 0 || created % 4 != 3)) {
        Numbered& task = all[static_cast<std::size_t>(me * kEach + created++)];
        task.content = created;
        if (ports.closed(me) || !ports.offer(me, task))
          finish(task);
        continue;
      }
      if (created < kEach)
        finish(*[&] {
          Numbered* own = &all[static_cast<std::size_t>(me * kEach + created++)];
          own->content = created;
          return own;
        }());
      if (auto* task = static_cast<Numbered*>(ports.take(me)))
        finish(*task);
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < kWorkers; ++i)
    threads.emplace_back(work, i);
  for (std::thread& thread : threads)
    thread.join();
  for (int i = 0; i < kWorkers * kEach; ++i)
    ASSERT_EQ(all[static_cast<std::size_t>(i)].taken, 1) << i;
}

} // namespace
} // namespace xomp
