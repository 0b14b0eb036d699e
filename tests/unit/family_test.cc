// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Families: which task is current, claiming children, and when their memory and the families
// themselves are freed. One worker by hand, without a team; the races are in
// tests/models/deferred_task.pml and tests/stress/.
#include "task/family.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <utility>
#include <vector>

#include "task/frame.h"
#include "team/policies.h"

namespace xomp {
namespace {

class FamilyTest : public testing::Test {
protected:
  void SetUp() override {
    act_in(worker);
    worker.env = &env;
    worker.tasks = &team;
    worker.policy = &policy_of(SchedulerKind::kAuto);
    worker.count = 2;
  }
  void TearDown() override {
    if (Family* family = family_of_current(worker)) {
      if (part(worker, *family))
        settle(worker, *family);
    }
    free_families(worker);
    free_stack(worker);
    worker.heap.end();
    act_in(stranger);
  }
  DeferredTask& child(Family& family, uint32_t state, std::size_t size = 8) {
    DeferredTask& task = new_child(worker, family, size, 8);
    task.state.store(state);
    add_ready(family, task);
    return task;
  }
  DeferredTask& waiting_child(Family& family, uint32_t state) {
    DeferredTask& task = new_child(worker, family, 8, 8);
    task.state.store(state);
    add_waiting(family, task);
    return task;
  }
  static std::size_t length(const ChildList& list) {
    std::size_t count = 0;
    for (const DeferredTask* task = list.first; task; task = task->sibling)
      ++count;
    return count;
  }
  static void end_all(Family& family) {
    for (ChildList* list : {&family.children, &family.away, &family.waiting, &family.spent}) {
      for (DeferredTask* task = list->first; task; task = task->sibling)
        task->state.store(kDone);
    }
  }
  /// What a task that is run at once does around its body.
  void begin_immediate() {
    Slot* outer = nullptr;
    ASSERT_NE(enter_frame(worker, [](void*) {}, outer), nullptr);
    outers.push_back(outer);
  }
  void end_immediate() {
    leave_frame(worker, worker.stack.current, outers.back());
    outers.pop_back();
  }

  std::vector<Slot*> outers;
  TaskTeam team;
  Env env;
  Worker worker;
};

TEST_F(FamilyTest, TheImplicitTaskIsCurrentAtFirst) {
  EXPECT_TRUE(at_root(worker));
  EXPECT_FALSE(in_explicit_task(worker));
  EXPECT_EQ(family_of_current(worker), nullptr);
  Family& family = own_family(worker);
  EXPECT_EQ(family_of_current(worker), &family);
  EXPECT_EQ(&own_family(worker), &family);
  EXPECT_TRUE(at_root(worker));
}

TEST_F(FamilyTest, ATaskRunAtOnceGetsItsOwnOnlyWhenItAsks) {
  Family& outer = own_family(worker);
  begin_immediate();
  EXPECT_TRUE(in_explicit_task(worker));
  EXPECT_EQ(family_of_current(worker), nullptr);
  begin_immediate();
  Family& inner = own_family(worker);
  EXPECT_NE(&inner, &outer);
  EXPECT_EQ(inner.ancestor, &outer) << "the task between them has none";
  EXPECT_EQ(inner.depth, 1u);
  end_immediate();
  EXPECT_EQ(family_of_current(worker), nullptr);
  EXPECT_TRUE(in_explicit_task(worker));
  end_immediate();
  EXPECT_EQ(family_of_current(worker), &outer);
  EXPECT_TRUE(at_root(worker));
}

TEST_F(FamilyTest, ClaimsTheNewestReadyChildAndEachOnce) {
  Family& family = own_family(worker);
  DeferredTask& oldest = child(family, kReady);
  child(family, kRunning);
  DeferredTask& newest = child(family, kReady);
  EXPECT_EQ(claim_child(worker, family, false), &newest);
  EXPECT_EQ(claim_child(worker, family, false), &oldest);
  EXPECT_EQ(claim_child(worker, family, true), nullptr);
  EXPECT_EQ(newest.phase(std::memory_order_relaxed), kRunning);
  end_all(family);
}

TEST_F(FamilyTest, ClaimsTheOldestOfThoseThatHadPredecessors) {
  Family& family = own_family(worker);
  waiting_child(family, kWaiting);
  DeferredTask& older = waiting_child(family, kReady);
  DeferredTask& newer = waiting_child(family, kReady);
  DeferredTask& without = child(family, kReady);
  EXPECT_TRUE(has_ready(family));
  for (DeferredTask* expected : {&without, &older, &newer})
    EXPECT_EQ(claim_child(worker, family, false), expected);
  EXPECT_FALSE(has_ready(family));
  EXPECT_EQ(claim_child(worker, family, true), nullptr);
  end_all(family);
}

TEST_F(FamilyTest, TakesBackWhatWasOfferedToOthersLast) {
  Family& family = own_family(worker);
  auto away_child = [&]() -> DeferredTask& {
    DeferredTask& task = new_child(worker, family, 8, 8);
    task.state.store(kReady | kAdvert);
    add_away(family, task);
    return task;
  };
  DeferredTask& first = away_child();
  DeferredTask& second = away_child();
  DeferredTask& own = child(family, kReady);
  DeferredTask& had_to_wait = waiting_child(family, kReady);
  EXPECT_TRUE(first.away);
  EXPECT_FALSE(own.away);
  for (DeferredTask* expected : {&own, &had_to_wait, &first, &second})
    EXPECT_EQ(claim_child(worker, family, false), expected);
  EXPECT_FALSE(finished(worker, family));
  end_all(family);
  EXPECT_TRUE(finished(worker, family));
}

TEST_F(FamilyTest, LooksFarOnlyWhenAskedTo) {
  Family& family = own_family(worker);
  DeferredTask& hidden = child(family, kReady);
  for (int i = 0; i < 1000; ++i)
    child(family, kRunning);
  EXPECT_EQ(claim_child(worker, family, false), nullptr);
  EXPECT_EQ(claim_child(worker, family, true), &hidden);
  end_all(family);
}

TEST_F(FamilyTest, IsFinishedWhenAllChildrenAreDone) {
  Family& family = own_family(worker);
  EXPECT_TRUE(finished(worker, family));
  DeferredTask& first = child(family, kRunning);
  DeferredTask& second = child(family, kRunning);
  DeferredTask& third = waiting_child(family, kWaiting);
  first.state.store(kDone);
  EXPECT_FALSE(finished(worker, family));
  second.state.store(kDone | kAdvert);
  EXPECT_FALSE(finished(worker, family));
  EXPECT_EQ(length(family.children), 0u);
  third.state.store(kDone);
  EXPECT_TRUE(finished(worker, family)) << "an advert holds the memory only";
  EXPECT_EQ(family.waiting_count, 0u);
  EXPECT_EQ(family.live, 1u);
  EXPECT_EQ(family.spent.first, &second);
  second.state.store(kDone);
  EXPECT_EQ(sweep(worker, family), 0u);
  EXPECT_EQ(family.live, 0u);
}

TEST_F(FamilyTest, CountsWaitingChildrenWhenThereMayBeTooMany) {
  Family& family = own_family(worker);
  constexpr uint32_t kLimit = 800;
  std::vector<DeferredTask*> tasks;
  auto create = [&] { tasks.push_back(&waiting_child(family, kWaiting)); };
  for (uint32_t i = 0; i < kLimit; ++i) {
    EXPECT_FALSE(too_many_wait(worker, family, kLimit));
    create();
  }
  EXPECT_TRUE(too_many_wait(worker, family, kLimit));
  for (DeferredTask* task : tasks)
    task->state.store(kDone);
  EXPECT_FALSE(too_many_wait(worker, family, kLimit));
  EXPECT_EQ(family.live, 0u);
}

TEST_F(FamilyTest, OrphansAreFinishedBeforeTheyAreFreed) {
  begin_immediate();
  Family& family = own_family(worker);
  DeferredTask& task = child(family, kRunning);
  end_immediate();
  EXPECT_FALSE(orphans_finished(worker));
  task.state.store(kDone | kAdvert);
  EXPECT_TRUE(orphans_finished(worker));
  EXPECT_EQ(worker.remains, &family);
  EXPECT_EQ(sweep_orphans(worker), 1u) << "its child";
  task.state.store(kDone);
  EXPECT_EQ(sweep_orphans(worker), 0u);
  EXPECT_EQ(worker.remains, nullptr);
}

TEST_F(FamilyTest, ClaimsTheMostUrgentFirstWhenThereArePriorities) {
  Family& family = own_family(worker);
  family.has_priorities = true;
  std::vector<DeferredTask*> tasks;
  for (int priority : {1, 5, 0, 5, 2}) {
    tasks.push_back(&child(family, kReady));
    tasks.back()->priority = priority;
  }
  for (int expected : {3, 1, 4, 0, 2}) {
    DeferredTask* task = claim_child(worker, family, false);
    EXPECT_EQ(task, tasks[static_cast<std::size_t>(expected)]);
    if (task)
      task->state.store(kDone);
  }
}

TEST_F(FamilyTest, AClaimGivesUpOnlyThePointersItHolds) {
  Family& family = own_family(worker);
  DeferredTask& task = child(family, kReady | kAdvert | kFoster);
  EXPECT_TRUE(try_claim(task, kFoster));
  EXPECT_EQ(task.state.load(), uint32_t{kRunning | kAdvert});
  EXPECT_FALSE(try_claim(task, kAdvert));
  EXPECT_EQ(task.state.load(), uint32_t{kRunning | kAdvert}) << "a failed claim changes nothing";
  task.state.store(kDone);
}

TEST_F(FamilyTest, FreesAChildOnlyWhenNobodyHoldsAPointer) {
  Family& family = own_family(worker);
  std::vector<DeferredTask*> tasks;
  for (int i = 0; i < 5; ++i)
    tasks.push_back(&child(family, kRunning));
  tasks[0]->state.store(kDone);
  tasks[1]->state.store(kDone | kAdvert);
  tasks[2]->state.store(kDone | kFoster);
  tasks[3]->state.store(kDone);
  tasks[3]->table_refs = 1;
  std::size_t bytes = tasks[0]->units * Heap::kAlign;
  EXPECT_EQ(sweep(worker, family), 4u);
  EXPECT_EQ(length(family.children), 4u);
  EXPECT_EQ(family.live, 4u);
  EXPECT_EQ(worker.heap.reuse(bytes), tasks[0]);
  tasks[1]->state.store(kDone);
  tasks[2]->state.store(kDone);
  tasks[3]->table_refs = 0;
  EXPECT_EQ(sweep(worker, family), 1u);
  EXPECT_EQ(length(family.children), 1u);
  tasks[4]->state.store(kDone);
  EXPECT_EQ(sweep(worker, family), 0u);
}

TEST_F(FamilyTest, AlignsArgumentBlocksAsTheProgramWants) {
  Family& family = own_family(worker);
  for (std::size_t align : {std::size_t{1}, std::size_t{8}, std::size_t{16}, std::size_t{64},
                            std::size_t{256}, std::size_t{4096}}) {
    DeferredTask& task = new_child(worker, family, 100, align);
    add_ready(family, task);
    auto block = reinterpret_cast<uintptr_t>(task.payload);
    EXPECT_EQ(block % align, 0u);
    EXPECT_GE(block, reinterpret_cast<uintptr_t>(&task + 1));
    EXPECT_LE(block + 100, reinterpret_cast<uintptr_t>(&task) + task.units * Heap::kAlign);
    task.state.store(kDone);
  }
}

TEST_F(FamilyTest, EndlessFinishedChildrenUseBoundedMemory) {
  Family& family = own_family(worker);
  for (int i = 0; i < 100000; ++i)
    child(family, kDone);
  EXPECT_EQ(worker.heap.footprint(), 8192u);
  for (int i = 0; i < 50; ++i)
    child(family, kRunning);
  for (int i = 0; i < 100000; ++i)
    child(family, kDone);
  EXPECT_EQ(worker.heap.footprint(), 32768u);
  end_all(family);
}

TEST_F(FamilyTest, OutlivesItsTaskWhileChildrenAreLeft) {
  begin_immediate();
  Family& family = own_family(worker);
  DeferredTask& task = child(family, kRunning);
  end_immediate();
  EXPECT_EQ(worker.orphans, &family);
  EXPECT_EQ(sweep_orphans(worker), 1u) << "its child";
  task.state.store(kDone);
  EXPECT_EQ(sweep_orphans(worker), 0u);
  EXPECT_EQ(worker.orphans, nullptr);
  EXPECT_EQ(worker.free_families, &family);
}

TEST_F(FamilyTest, IsFreedWithItsTaskWhenNoChildrenAreLeft) {
  begin_immediate();
  Family& family = own_family(worker);
  child(family, kDone);
  end_immediate();
  EXPECT_EQ(worker.orphans, nullptr);
  EXPECT_EQ(worker.free_families, &family);
}

TEST_F(FamilyTest, IsKeptWhileAPartedFamilyNamesItAsAncestor) {
  begin_immediate();
  Family& outer = own_family(worker);
  DeferredTask& first = child(outer, kRunning);
  begin_immediate();
  Family& inner = own_family(worker);
  DeferredTask& second = child(inner, kRunning);
  end_immediate();
  EXPECT_EQ(outer.links.load(), 1u);
  end_immediate();
  first.state.store(kDone);
  sweep_orphans(worker);
  EXPECT_EQ(outer.live, 0u);
  EXPECT_TRUE(descends(*second.home, outer)) << "and so it is not freed";
  EXPECT_EQ(worker.free_families, nullptr);
  second.state.store(kDone);
  sweep_orphans(worker);
  sweep_orphans(worker);
  EXPECT_EQ(worker.orphans, nullptr);
}

TEST_F(FamilyTest, KnowsWhoDescendsFromWhom) {
  Family& root = own_family(worker);
  DeferredTask& uncle = child(root, kRunning);
  begin_immediate();
  Family& middle = own_family(worker);
  DeferredTask& task = child(middle, kRunning);
  begin_immediate();
  Family& leaf = own_family(worker);
  EXPECT_TRUE(descends(*task.home, middle));
  EXPECT_TRUE(descends(*task.home, root));
  EXPECT_FALSE(descends(*task.home, leaf));
  EXPECT_TRUE(descends(*uncle.home, root));
  EXPECT_FALSE(descends(*uncle.home, middle));
  uncle.state.store(kDone);
  task.state.store(kDone);
  end_immediate();
  end_immediate();
}

TEST_F(FamilyTest, ADeferredTasksFamilyIsBelowTheNearestThatStillWaits) {
  Family& root = own_family(worker);
  DeferredTask& parent = child(root, kRunning);
  // The deferred task has nothing to do with what lies below.
  auto begin = [&](DeferredTask& task) {
    Slot* outer = nullptr;
    Slot* frame = enter_frame(worker, root_mark, outer);
    root_of(*frame) = Root{&env, task.home};
    return outer;
  };
  auto end = [&](Slot* outer) {
    Slot* frame = std::exchange(worker.stack.current, outer);
    worker.stack.cut(frame);
  };
  Slot* outer = begin(parent);
  Family& family = own_family(worker);
  EXPECT_EQ(family.ancestor, &root);
  EXPECT_TRUE(at_root(worker));
  EXPECT_TRUE(in_explicit_task(worker));
  DeferredTask& task = child(family, kRunning);
  EXPECT_TRUE(descends(*task.home, root));
  // It ends; a child of its child hangs below the root.
  ASSERT_TRUE(part(worker, family));
  settle(worker, family);
  end(outer);
  outer = begin(task);
  Family& grandchild = own_family(worker);
  EXPECT_EQ(grandchild.ancestor, &root) << "nobody waits in a task that has ended";
  EXPECT_FALSE(part(worker, grandchild));
  end(outer);
  task.state.store(kDone);
  parent.state.store(kDone);
  EXPECT_EQ(sweep_orphans(worker), 0u);
}

TEST_F(FamilyTest, OnlyOneOfManyThreadsGetsATask) {
  constexpr int kTasks = 2000, kThreads = 3;
  Family& family = own_family(worker);
  std::vector<DeferredTask*> tasks;
  for (int i = 0; i < kTasks; ++i)
    tasks.push_back(&child(family, kReady | kAdvert));
  std::atomic<int> claimed{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      for (DeferredTask* task : tasks) {
        if (!try_claim(*task, i == 0 ? uint32_t{kAdvert} : 0))
          continue;
        task->priority++; // not atomic: only the claimant may
        claimed++;
        task->state.fetch_or(kDone, std::memory_order_release);
      }
      // The first holds the adverts: it gives up those of the tasks that others ran.
      if (i == 0) {
        for (DeferredTask* task : tasks)
          task->state.fetch_and(~uint32_t{kAdvert}, std::memory_order_release);
      }
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(claimed, kTasks);
  for (DeferredTask* task : tasks)
    EXPECT_EQ(task->priority, 1);
  EXPECT_EQ(sweep(worker, family), 0u);
  EXPECT_EQ(family.live, 0u);
}

// What is kept is at most about twice what is in use at once, however often a task ends before its
// child's memory is free: naive versions take fresh memory after each sweep.
TEST_F(FamilyTest, MemoryDoesNotGrowWithTheNumberOfTasksThatEndBeforeTheirChildren) {
  constexpr std::size_t kHeld = 20;
  std::vector<DeferredTask*> held;
  for (std::size_t i = 0; i < 200000; ++i) {
    begin_immediate();
    held.push_back(&child(own_family(worker), kDone | kAdvert));
    end_immediate();
    if (i >= kHeld)
      held[i - kHeld]->state.store(kDone);
  }
  std::size_t families = 0;
  for (Family* list : {worker.orphans, worker.remains, worker.free_families}) {
    for (; list; list = list->next)
      ++families;
  }
  EXPECT_LE(families, 3 * kHeld);
  EXPECT_LE(worker.heap.footprint(), std::size_t{65536});
  for (std::size_t i = held.size() - kHeld; i < held.size(); ++i)
    held[i]->state.store(kDone);
}

} // namespace
} // namespace xomp
