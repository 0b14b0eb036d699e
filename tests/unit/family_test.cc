// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Families: which task is current, claiming children, and when their memory and the families
// themselves are freed. One worker by hand, without a team; the races are in
// tests/models/deferred_task.pml and tests/stress/.
#include "task/family.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace xomp {
namespace {

class FamilyTest : public testing::Test {
protected:
  void SetUp() override {
    worker.env = &env;
    worker.tasks = &team;
  }
  void TearDown() override {
    while (worker.top) {
      Family& family = pop_family(worker);
      if (part(worker, family))
        settle(worker, family);
    }
    free_families(worker);
    worker.heap.end();
  }
  DeferredTask& child(Family& family, uint32_t state, std::size_t size = 8) {
    DeferredTask& task = new_child(worker, family, size, 8);
    task.state.store(state);
    return task;
  }
  static std::size_t length(const Family& family) {
    std::size_t count = 0;
    for (const DeferredTask* task = family.children; task; task = task->sibling)
      ++count;
    return count;
  }
  /// What a task that is run at once does around its body.
  void begin_immediate() { ++worker.above; }
  void end_immediate() {
    if (--worker.above >= 0)
      return;
    Family& family = pop_family(worker);
    if (part(worker, family))
      settle(worker, family);
  }

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
  child(family, kWaiting).state.store(kWaiting);
  child(family, kRunning);
  DeferredTask& newest = child(family, kReady);
  EXPECT_EQ(claim_child(worker, family), &newest);
  EXPECT_EQ(claim_child(worker, family), &oldest);
  EXPECT_EQ(claim_child(worker, family), nullptr);
  EXPECT_EQ(newest.phase(std::memory_order_relaxed), kRunning);
  for (DeferredTask* task = family.children; task; task = task->sibling)
    task->state.store(kDone);
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
    DeferredTask* task = claim_child(worker, family);
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
  uint32_t bytes = tasks[0]->bytes;
  EXPECT_EQ(sweep(worker, family), 1u) << "one is not done";
  EXPECT_EQ(length(family), 4u);
  EXPECT_EQ(family.live, 4u);
  EXPECT_EQ(worker.heap.reuse(bytes), tasks[0]);
  tasks[1]->state.store(kDone);
  tasks[2]->state.store(kDone);
  tasks[3]->table_refs = 0;
  EXPECT_EQ(sweep(worker, family), 1u);
  EXPECT_EQ(length(family), 1u);
  tasks[4]->state.store(kDone);
  EXPECT_EQ(sweep(worker, family), 0u);
}

TEST_F(FamilyTest, AlignsArgumentBlocksAsTheProgramWants) {
  Family& family = own_family(worker);
  for (std::size_t align : {std::size_t{1}, std::size_t{8}, std::size_t{16}, std::size_t{64},
                            std::size_t{256}, std::size_t{4096}}) {
    DeferredTask& task = new_child(worker, family, 100, align);
    auto block = reinterpret_cast<uintptr_t>(task.payload);
    EXPECT_EQ(block % align, 0u);
    EXPECT_GE(block, reinterpret_cast<uintptr_t>(&task + 1));
    EXPECT_LE(block + 100, reinterpret_cast<uintptr_t>(&task) + task.bytes);
    task.state.store(kDone);
  }
}

TEST_F(FamilyTest, EndlessFinishedChildrenUseBoundedMemory) {
  Family& family = own_family(worker);
  for (int i = 0; i < 100000; ++i)
    child(family, kDone);
  EXPECT_EQ(worker.heap.footprint(), 65536u);
  for (int i = 0; i < 50; ++i)
    child(family, kRunning);
  for (int i = 0; i < 100000; ++i)
    child(family, kDone);
  EXPECT_EQ(worker.heap.footprint(), 65536u);
  for (DeferredTask* task = family.children; task; task = task->sibling)
    task->state.store(kDone);
}

TEST_F(FamilyTest, OutlivesItsTaskWhileChildrenAreLeft) {
  begin_immediate();
  Family& family = own_family(worker);
  DeferredTask& task = child(family, kRunning);
  end_immediate();
  EXPECT_EQ(worker.orphans, &family);
  EXPECT_EQ(sweep_orphans(worker), 1u);
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
  EXPECT_TRUE(descends(second, outer)) << "and so it is not freed";
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
  EXPECT_TRUE(descends(task, middle));
  EXPECT_TRUE(descends(task, root));
  EXPECT_FALSE(descends(task, leaf));
  EXPECT_TRUE(descends(uncle, root));
  EXPECT_FALSE(descends(uncle, middle));
  uncle.state.store(kDone);
  task.state.store(kDone);
  end_immediate();
  end_immediate();
}

TEST_F(FamilyTest, ADeferredTasksFamilyIsBelowTheNearestThatStillWaits) {
  Family& root = own_family(worker);
  DeferredTask& parent = child(root, kRunning);
  // The deferred task has a stack of its own.
  Family* top = worker.top;
  int32_t above = worker.above;
  worker.top = nullptr;
  worker.above = 1;
  worker.root = &parent;
  Family& family = own_family(worker);
  EXPECT_EQ(family.ancestor, &root);
  EXPECT_TRUE(at_root(worker));
  EXPECT_TRUE(in_explicit_task(worker));
  DeferredTask& task = child(family, kRunning);
  EXPECT_TRUE(descends(task, root));
  // It ends; a child of its child hangs below the root.
  ASSERT_TRUE(part(worker, family));
  settle(worker, family);
  worker.top = nullptr;
  worker.above = 1;
  worker.root = &task;
  Family& grandchild = own_family(worker);
  EXPECT_EQ(grandchild.ancestor, &root) << "nobody waits in a task that has ended";
  EXPECT_FALSE(part(worker, grandchild));
  task.state.store(kDone);
  parent.state.store(kDone);
  worker.root = nullptr;
  worker.top = top;
  worker.above = above;
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

} // namespace
} // namespace xomp
