// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Full frames: which task is current, claiming children, and when their memory and the full frames
// themselves are freed. One worker by hand; the races are in
// tests/models/deferred_task.pml and tests/stress/.
#include "task/ancestry.h"
#include "task/children.h"
#include "task/full_frame.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <utility>
#include <vector>

#include "footprint.h"
#include "task/frame.h"
#include "workers.h"

namespace xomp {
namespace {

class FullFrameTest : public testing::Test {
protected:
  DeferredTask& child(FullFrame& full_frame, uint32_t state, std::size_t size = 8) {
    DeferredTask& task = new_child(worker, full_frame, size, 8);
    task.state.store(state);
    add_ready(full_frame, task);
    return task;
  }
  DeferredTask& waiting_child(FullFrame& full_frame, uint32_t state) {
    DeferredTask& task = new_child(worker, full_frame, 8, 8);
    task.state.store(state);
    add_waiting(full_frame, task);
    return task;
  }
  static std::size_t length(const ChildList& list) {
    std::size_t count = 0;
    for (const DeferredTask* task = list.first; task; task = task->sibling)
      ++count;
    return count;
  }
  static void end_all(FullFrame& full_frame) {
    for (ChildList* list :
         {&full_frame.children, &full_frame.away, &full_frame.waiting, &full_frame.spent}) {
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
  Workers workers{2};
  Worker& worker = workers[0];
};

TEST_F(FullFrameTest, TheImplicitTaskIsCurrentAtFirst) {
  EXPECT_TRUE(at_root(worker));
  EXPECT_FALSE(in_explicit_task(worker));
  EXPECT_EQ(current_full_frame(worker), nullptr);
  FullFrame& full_frame = own_full_frame(worker);
  EXPECT_EQ(current_full_frame(worker), &full_frame);
  EXPECT_EQ(&own_full_frame(worker), &full_frame);
  EXPECT_TRUE(at_root(worker));
}

TEST_F(FullFrameTest, ATaskRunAtOnceGetsItsOwnOnlyWhenItAsks) {
  FullFrame& outer = own_full_frame(worker);
  begin_immediate();
  EXPECT_TRUE(in_explicit_task(worker));
  EXPECT_EQ(current_full_frame(worker), nullptr);
  begin_immediate();
  FullFrame& inner = own_full_frame(worker);
  EXPECT_NE(&inner, &outer);
  EXPECT_EQ(inner.ancestor, &outer) << "the task between them has none";
  EXPECT_EQ(inner.depth, 1u);
  end_immediate();
  EXPECT_EQ(current_full_frame(worker), nullptr);
  EXPECT_TRUE(in_explicit_task(worker));
  end_immediate();
  EXPECT_EQ(current_full_frame(worker), &outer);
  EXPECT_TRUE(at_root(worker));
}

TEST_F(FullFrameTest, ClaimsTheNewestReadyChildAndEachOnce) {
  FullFrame& full_frame = own_full_frame(worker);
  DeferredTask& oldest = child(full_frame, kReady);
  child(full_frame, kRunning);
  DeferredTask& newest = child(full_frame, kReady);
  EXPECT_EQ(claim_child(worker, full_frame, kFew), &newest);
  EXPECT_EQ(claim_child(worker, full_frame, kFew), &oldest);
  EXPECT_EQ(claim_child(worker, full_frame, UINT32_MAX), nullptr);
  EXPECT_EQ(newest.phase(std::memory_order_relaxed), kRunning);
  end_all(full_frame);
}

TEST_F(FullFrameTest, ClaimsTheOldestOfThoseThatHadPredecessors) {
  FullFrame& full_frame = own_full_frame(worker);
  waiting_child(full_frame, kWaiting);
  DeferredTask& older = waiting_child(full_frame, kReady);
  DeferredTask& newer = waiting_child(full_frame, kReady);
  DeferredTask& without = child(full_frame, kReady);
  EXPECT_TRUE(has_ready(full_frame));
  for (DeferredTask* expected : {&without, &older, &newer})
    EXPECT_EQ(claim_child(worker, full_frame, kFew), expected);
  EXPECT_FALSE(has_ready(full_frame));
  EXPECT_EQ(claim_child(worker, full_frame, UINT32_MAX), nullptr);
  end_all(full_frame);
}

TEST_F(FullFrameTest, TakesBackWhatWasOfferedToOthersLast) {
  FullFrame& full_frame = own_full_frame(worker);
  auto away_child = [&]() -> DeferredTask& {
    DeferredTask& task = new_child(worker, full_frame, 8, 8);
    task.state.store(kReady | kInQueue);
    add_away(full_frame, task);
    return task;
  };
  DeferredTask& first = away_child();
  DeferredTask& second = away_child();
  DeferredTask& own = child(full_frame, kReady);
  DeferredTask& had_to_wait = waiting_child(full_frame, kReady);
  EXPECT_EQ(full_frame.away.first, &first);
  EXPECT_EQ(full_frame.children.first, &own);
  for (DeferredTask* expected : {&own, &had_to_wait, &first, &second})
    EXPECT_EQ(claim_child(worker, full_frame, kFew), expected);
  EXPECT_FALSE(drain_children(worker, full_frame));
  end_all(full_frame);
  EXPECT_TRUE(drain_children(worker, full_frame));
}

TEST_F(FullFrameTest, LooksFarOnlyWhenAskedTo) {
  FullFrame& full_frame = own_full_frame(worker);
  DeferredTask& hidden = child(full_frame, kReady);
  for (int i = 0; i < 1000; ++i)
    child(full_frame, kRunning);
  EXPECT_EQ(claim_child(worker, full_frame, kFew), nullptr);
  EXPECT_EQ(claim_child(worker, full_frame, UINT32_MAX), &hidden);
  end_all(full_frame);
}

TEST_F(FullFrameTest, IsFinishedWhenAllChildrenAreDone) {
  FullFrame& full_frame = own_full_frame(worker);
  EXPECT_TRUE(drain_children(worker, full_frame));
  DeferredTask& first = child(full_frame, kRunning);
  DeferredTask& second = child(full_frame, kRunning);
  DeferredTask& third = waiting_child(full_frame, kWaiting);
  first.state.store(kDone);
  EXPECT_FALSE(drain_children(worker, full_frame));
  second.state.store(kDone | kInQueue);
  EXPECT_FALSE(drain_children(worker, full_frame));
  EXPECT_EQ(length(full_frame.children), 0u);
  third.state.store(kDone);
  EXPECT_TRUE(drain_children(worker, full_frame)) << "a queue entry holds the memory only";
  EXPECT_EQ(full_frame.waiting_count, 0u);
  EXPECT_EQ(full_frame.live, 1u);
  EXPECT_EQ(full_frame.spent.first, &second);
  second.state.store(kDone);
  EXPECT_EQ(sweep(worker, full_frame), 0u);
  EXPECT_EQ(full_frame.live, 0u);
}

TEST_F(FullFrameTest, CountsWaitingChildrenWhenThereMayBeTooMany) {
  FullFrame& full_frame = own_full_frame(worker);
  constexpr uint32_t kLimit = 800;
  std::vector<DeferredTask*> tasks;
  auto create = [&] { tasks.push_back(&waiting_child(full_frame, kWaiting)); };
  for (uint32_t i = 0; i < kLimit; ++i) {
    EXPECT_FALSE(too_many_wait(worker, full_frame, kLimit));
    create();
  }
  EXPECT_TRUE(too_many_wait(worker, full_frame, kLimit));
  for (DeferredTask* task : tasks)
    task->state.store(kDone);
  EXPECT_FALSE(too_many_wait(worker, full_frame, kLimit));
  EXPECT_EQ(full_frame.live, 0u);
}

TEST_F(FullFrameTest, OfEndedTasksAreFinishedBeforeTheyAreFreed) {
  begin_immediate();
  FullFrame& full_frame = own_full_frame(worker);
  DeferredTask& task = child(full_frame, kRunning);
  end_immediate();
  EXPECT_FALSE(drain_ended(worker));
  task.state.store(kDone | kInQueue);
  EXPECT_TRUE(drain_ended(worker));
  EXPECT_EQ(worker.to_free, &full_frame);
  EXPECT_EQ(sweep_ended(worker), 1u) << "its child";
  task.state.store(kDone);
  EXPECT_EQ(sweep_ended(worker), 0u);
  EXPECT_EQ(worker.to_free, nullptr);
}

TEST_F(FullFrameTest, ClaimsTheMostUrgentFirstWhenThereArePriorities) {
  FullFrame& full_frame = own_full_frame(worker);
  full_frame.has_priorities = true;
  std::vector<DeferredTask*> tasks;
  for (int priority : {1, 5, 0, 5, 2}) {
    tasks.push_back(&child(full_frame, kReady));
    tasks.back()->priority = priority;
  }
  for (int expected : {3, 1, 4, 0, 2}) {
    DeferredTask* task = claim_child(worker, full_frame, kFew);
    EXPECT_EQ(task, tasks[static_cast<std::size_t>(expected)]);
    if (task)
      task->state.store(kDone);
  }
}

TEST_F(FullFrameTest, AClaimGivesUpOnlyThePointersItHolds) {
  FullFrame& full_frame = own_full_frame(worker);
  DeferredTask& task = child(full_frame, kReady | kInQueue | kInReadyList);
  EXPECT_TRUE(try_claim(task, kInReadyList));
  EXPECT_EQ(task.state.load(), uint32_t{kRunning | kInQueue});
  EXPECT_FALSE(try_claim(task, kInQueue));
  EXPECT_EQ(task.state.load(), uint32_t{kRunning | kInQueue}) << "a failed claim changes nothing";
  task.state.store(kDone);
}

TEST_F(FullFrameTest, FreesAChildOnlyWhenNobodyHoldsAPointer) {
  FullFrame& full_frame = own_full_frame(worker);
  std::vector<DeferredTask*> tasks;
  for (int i = 0; i < 5; ++i)
    tasks.push_back(&child(full_frame, kRunning));
  tasks[0]->state.store(kDone);
  tasks[1]->state.store(kDone | kInQueue);
  tasks[2]->state.store(kDone | kInReadyList);
  tasks[3]->state.store(kDone);
  tasks[3]->table_refs = 1;
  std::size_t bytes = tasks[0]->units * Heap::kAlign;
  EXPECT_EQ(sweep(worker, full_frame), 4u);
  EXPECT_EQ(length(full_frame.children), 4u);
  EXPECT_EQ(full_frame.live, 4u);
  EXPECT_EQ(worker.heap.reuse(bytes), tasks[0]);
  tasks[1]->state.store(kDone);
  tasks[2]->state.store(kDone);
  tasks[3]->table_refs = 0;
  EXPECT_EQ(sweep(worker, full_frame), 1u);
  EXPECT_EQ(length(full_frame.children), 1u);
  tasks[4]->state.store(kDone);
  EXPECT_EQ(sweep(worker, full_frame), 0u);
}

TEST_F(FullFrameTest, AlignsArgumentBlocksAsTheProgramWants) {
  FullFrame& full_frame = own_full_frame(worker);
  for (std::size_t align : {std::size_t{1}, std::size_t{8}, std::size_t{16}, std::size_t{64},
                            std::size_t{256}, std::size_t{4096}}) {
    DeferredTask& task = new_child(worker, full_frame, 100, align);
    add_ready(full_frame, task);
    auto block = reinterpret_cast<uintptr_t>(task.payload);
    EXPECT_EQ(block % align, 0u);
    EXPECT_GE(block, reinterpret_cast<uintptr_t>(&task + 1));
    EXPECT_LE(block + 100, reinterpret_cast<uintptr_t>(&task) + task.units * Heap::kAlign);
    task.state.store(kDone);
  }
}

TEST_F(FullFrameTest, EndlessFinishedChildrenUseBoundedMemory) {
  FullFrame& full_frame = own_full_frame(worker);
  for (int i = 0; i < 100000; ++i)
    child(full_frame, kDone);
  EXPECT_EQ(footprint(worker.heap), 8192u);
  for (int i = 0; i < 50; ++i)
    child(full_frame, kRunning);
  for (int i = 0; i < 100000; ++i)
    child(full_frame, kDone);
  EXPECT_EQ(footprint(worker.heap), 32768u);
  end_all(full_frame);
}

TEST_F(FullFrameTest, OutlivesItsTaskWhileChildrenAreLeft) {
  begin_immediate();
  FullFrame& full_frame = own_full_frame(worker);
  DeferredTask& task = child(full_frame, kRunning);
  end_immediate();
  EXPECT_EQ(worker.ended_with_running, &full_frame);
  EXPECT_EQ(sweep_ended(worker), 1u) << "its child";
  task.state.store(kDone);
  EXPECT_EQ(sweep_ended(worker), 0u);
  EXPECT_EQ(worker.ended_with_running, nullptr);
  EXPECT_EQ(worker.free_full_frames, &full_frame);
}

TEST_F(FullFrameTest, IsFreedWithItsTaskWhenNoChildrenAreLeft) {
  begin_immediate();
  FullFrame& full_frame = own_full_frame(worker);
  child(full_frame, kDone);
  end_immediate();
  EXPECT_EQ(worker.ended_with_running, nullptr);
  EXPECT_EQ(worker.free_full_frames, &full_frame);
}

TEST_F(FullFrameTest, IsKeptWhileThatOfAnEndedTaskNamesItAsAncestor) {
  begin_immediate();
  FullFrame& outer = own_full_frame(worker);
  DeferredTask& first = child(outer, kRunning);
  begin_immediate();
  FullFrame& inner = own_full_frame(worker);
  DeferredTask& second = child(inner, kRunning);
  end_immediate();
  EXPECT_EQ(outer.links.load(), 2u) << "and its owner's";
  end_immediate();
  first.state.store(kDone);
  EXPECT_EQ(sweep_ended(worker), 1u) << "the inner one's child";
  EXPECT_EQ(outer.live, 0u);
  EXPECT_TRUE(descends(*second.parent, outer)) << "and so it is not freed";
  EXPECT_EQ(worker.free_full_frames, nullptr);
  second.state.store(kDone);
  sweep_ended(worker);
  EXPECT_EQ(worker.ended_with_running, nullptr);
  EXPECT_EQ(worker.kept_full_frames, 2u);
}

TEST_F(FullFrameTest, TheLastOfATheftFreesIt) {
  begin_immediate();
  FullFrame& full_frame = own_full_frame(worker);
  full_frame.links.fetch_add(1); // as a thief does, and counts its children
  full_frame.stolen.fetch_add(1);
  end_immediate();
  EXPECT_EQ(sweep_ended(worker), 1u) << "a child is not done";
  full_frame.stolen.fetch_sub(1);
  EXPECT_EQ(sweep_ended(worker), 0u);
  EXPECT_EQ(worker.ended_with_running, nullptr);
  EXPECT_EQ(worker.kept_full_frames, 0u) << "what the child left is not";
  act_in(workers[1]);
  unlink(workers[1], full_frame);
  EXPECT_EQ(workers[1].free_full_frames, &full_frame);
}

TEST_F(FullFrameTest, KnowsWhoDescendsFromWhom) {
  FullFrame& root = own_full_frame(worker);
  DeferredTask& uncle = child(root, kRunning);
  begin_immediate();
  FullFrame& middle = own_full_frame(worker);
  DeferredTask& task = child(middle, kRunning);
  begin_immediate();
  FullFrame& leaf = own_full_frame(worker);
  EXPECT_TRUE(descends(*task.parent, middle));
  EXPECT_TRUE(descends(*task.parent, root));
  EXPECT_FALSE(descends(*task.parent, leaf));
  EXPECT_TRUE(descends(*uncle.parent, root));
  EXPECT_FALSE(descends(*uncle.parent, middle));
  uncle.state.store(kDone);
  task.state.store(kDone);
  end_immediate();
  end_immediate();
}

TEST_F(FullFrameTest, OfADeferredTaskIsBelowTheNearestThatStillWaits) {
  FullFrame& root = own_full_frame(worker);
  DeferredTask& parent = child(root, kRunning);
  // The deferred task has nothing to do with what lies below.
  auto begin = [&](DeferredTask& task) {
    Slot* outer = nullptr;
    Slot* frame = enter_frame(worker, root_mark, outer);
    root_of(*frame) = Root{&workers.env, task.parent};
    return outer;
  };
  auto end = [&](Slot* outer) {
    Slot* frame = std::exchange(worker.stack.current, outer);
    worker.stack.cut(frame);
  };
  Slot* outer = begin(parent);
  FullFrame& full_frame = own_full_frame(worker);
  EXPECT_EQ(full_frame.ancestor, &root);
  EXPECT_TRUE(at_root(worker));
  EXPECT_TRUE(in_explicit_task(worker));
  DeferredTask& task = child(full_frame, kRunning);
  EXPECT_TRUE(descends(*task.parent, root));
  // It ends; a child of its child hangs below the root.
  ASSERT_TRUE(leave_children(worker, full_frame));
  free_or_keep(worker, full_frame);
  end(outer);
  outer = begin(task);
  FullFrame& grandchild = own_full_frame(worker);
  EXPECT_EQ(grandchild.ancestor, &root) << "nobody waits in a task that has ended";
  EXPECT_FALSE(leave_children(worker, grandchild));
  end(outer);
  task.state.store(kDone);
  parent.state.store(kDone);
  EXPECT_EQ(sweep_ended(worker), 0u);
}

/// Two workers with tasks that each begin on the other one while the task that creates them runs.
class FullFrameChainTest : public testing::Test {
protected:
  /// Begins the task `child` of the last one; that one ends if it is to.
  void next() {
    Running begun = begin(workers[number++ % 2], std::exchange(child, nullptr));
    create(begun);
    end();
    last = begun;
  }
  struct Running {
    Worker* worker;
    Slot* outer;
    FullFrame* full_frame;
    DeferredTask* task;
  };
  Running begin(Worker& worker, DeferredTask* task) {
    act_in(worker);
    Slot* outer = nullptr;
    Slot* frame = enter_frame(worker, root_mark, outer);
    root_of(*frame) = Root{&workers.env, task ? task->parent : nullptr};
    ++made;
    return {&worker, outer, &own_full_frame(worker), task};
  }
  /// So many tasks, each in the one before, on the two workers by turns; none has ended.
  std::vector<Running> nest(int depth) {
    std::vector<Running> nested;
    for (int i = 0; i < depth; ++i) {
      nested.push_back(begin(workers[i % 2], std::exchange(child, nullptr)));
      create(nested.back());
    }
    return nested;
  }
  void create(const Running& parent) {
    act_in(*parent.worker);
    child = &new_child(*parent.worker, *parent.full_frame, 8, 8);
    child->state.store(kRunning);
    add_ready(*parent.full_frame, *child);
  }
  /// The last task ends, its child goes on.
  void end() {
    if (!last.worker)
      return;
    Worker& worker = *last.worker;
    act_in(worker);
    if (leave_children(worker, *last.full_frame))
      free_or_keep(worker, *last.full_frame);
    worker.stack.cut(std::exchange(worker.stack.current, last.outer));
    if (last.task)
      last.task->state.store(kDone);
    last.worker = nullptr;
  }
  /// Full frames that are not freed.
  uint32_t kept() {
    return made - workers[0].full_frames_due.freed - workers[1].full_frames_due.freed;
  }
  void start() {
    root = begin(workers[1], nullptr);
    create(root);
  }
  void finish() {
    child->state.store(kDone);
    end();
  }

  /// Two workers wait for 128 each before they free those that were bypassed, and these hold
  /// others.
  static constexpr uint32_t kMostKept = 600;

  Workers workers{3};
  Running root{};
  DeferredTask* child = nullptr; ///< of the last one
  Running last{};
  int number = 0;
  uint32_t made = 0;
};

// Of nested tasks on two workers the inner ones end first. Naive version: each worker looks through
// those that only the other one's keep, again and again.
TEST_F(FullFrameChainTest, WhatOnlyOthersKeepIsNotLookedThrough) {
  constexpr int kDepth = 3000;
  start();
  std::vector<Running> nested = nest(kDepth);
  for (int i = kDepth; i-- > 0;) {
    last = nested[static_cast<std::size_t>(i)];
    end();
  }
  EXPECT_LE(sweep_ended(workers[0]) + sweep_ended(workers[1]), 2u);
  EXPECT_EQ(kept(), kDepth + 1u);
  child->state.store(kDone);
  for (int i = 0; i < 2; ++i) {
    act_in(workers[i]);
    sweep_ended(workers[i]);
  }
  EXPECT_EQ(kept(), 1u) << "the root";
}

// Naive version: each full frame that is kept keeps that of the task's creator, and so all.
TEST_F(FullFrameChainTest, OfTasksThatOverlapFewAreKept) {
  start();
  for (int i = 0; i < 10000; ++i)
    next();
  EXPECT_LE(kept(), kMostKept);
  EXPECT_TRUE(descends(*child->parent, *root.full_frame)) << "which has not ended";
  EXPECT_FALSE(descends(*root.full_frame, *child->parent));
  FullFrame& stranger_to_all = own_full_frame(workers[2]);
  EXPECT_FALSE(descends(*child->parent, stranger_to_all));
  finish();
}

// Naive version: jumps only on each worker's own stack.
TEST_F(FullFrameChainTest, AncestorsAreFewStepsAwayAlsoOnOtherStacks) {
  constexpr int kDepth = 3000;
  start();
  std::vector<Running> nested = nest(kDepth);
  int steps = 0;
  const FullFrame* target = nested[100].full_frame;
  for (const FullFrame* each = nested.back().full_frame; each->depth > target->depth; ++steps) {
    bool far = each->jump != each && each->jump->depth >= target->depth;
    each = far ? each->jump : next_upwards(*each);
  }
  EXPECT_LE(steps, 40);
  EXPECT_TRUE(descends(*nested.back().full_frame, *target));
  EXPECT_FALSE(descends(*nested[99].full_frame, *target));
  child->state.store(kDone);
  for (; !nested.empty(); nested.pop_back()) {
    last = nested.back();
    end();
  }
  EXPECT_LE(kept(), 10u);
}

TEST_F(FullFrameChainTest, TheirCreatorsAreFreedWhereAllAboveHaveEnded) {
  start();
  last = root;
  end();
  for (int i = 0; i < 10000; ++i)
    next();
  EXPECT_LE(kept(), kMostKept);
  finish();
}

TEST_F(FullFrameChainTest, NoneIsFreedThatSomebodyMayHaveClimbedTo) {
  start();
  workers[2].climbs.begin();
  for (int i = 0; i < 1000; ++i)
    next();
  EXPECT_GE(kept(), 990u);
  workers[2].climbs.end();
  for (int i = 0; i < 600; ++i)
    next();
  EXPECT_LE(kept(), kMostKept);
  finish();
}

TEST_F(FullFrameTest, OnlyOneOfManyThreadsGetsATask) {
  constexpr int kTasks = 2000, kThreads = 3;
  FullFrame& full_frame = own_full_frame(worker);
  std::vector<DeferredTask*> tasks;
  for (int i = 0; i < kTasks; ++i)
    tasks.push_back(&child(full_frame, kReady | kInQueue));
  std::atomic<int> claimed{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      for (DeferredTask* task : tasks) {
        if (!try_claim(*task, i == 0 ? uint32_t{kInQueue} : 0))
          continue;
        task->priority++; // not atomic: only the claimant may
        claimed++;
        task->state.fetch_or(kDone, std::memory_order_release);
      }
      // The first holds the queue entries: it gives up those of the tasks that others ran.
      if (i == 0) {
        for (DeferredTask* task : tasks)
          task->state.fetch_and(~uint32_t{kInQueue}, std::memory_order_release);
      }
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(claimed, kTasks);
  for (DeferredTask* task : tasks)
    EXPECT_EQ(task->priority, 1);
  EXPECT_EQ(sweep(worker, full_frame), 0u);
  EXPECT_EQ(full_frame.live, 0u);
}

// What is kept is at most about twice what is in use at once, however often a task ends before its
// child's memory is free: naive versions take fresh memory after each sweep.
TEST_F(FullFrameTest, MemoryDoesNotGrowWithTheNumberOfTasksThatEndBeforeTheirChildren) {
  constexpr std::size_t kHeld = 20;
  std::vector<DeferredTask*> held;
  for (std::size_t i = 0; i < 200000; ++i) {
    begin_immediate();
    held.push_back(&child(own_full_frame(worker), kDone | kInQueue));
    end_immediate();
    if (i >= kHeld)
      held[i - kHeld]->state.store(kDone);
  }
  std::size_t full_frames = 0;
  for (FullFrame* list : {worker.ended_with_running, worker.to_free, worker.free_full_frames}) {
    for (; list; list = list->next)
      ++full_frames;
  }
  EXPECT_LE(full_frames, 3 * kHeld);
  EXPECT_LE(footprint(worker.heap), std::size_t{65536});
  for (std::size_t i = held.size() - kHeld; i < held.size(); ++i)
    held[i]->state.store(kDone);
}

// An implicit task may go on for ever, and the memory for its children come from what those of
// others leave. Naive version: its own are looked for only when there is no other memory.
TEST_F(FullFrameTest, FinishedChildrenAreFreedWhereOthersLeaveMemory) {
  FullFrame& implicit = own_full_frame(worker);
  for (int i = 0; i < 10000; ++i) {
    child(implicit, kDone);
    begin_immediate();
    FullFrame& own = own_full_frame(worker);
    child(own, kDone);
    child(own, kDone);
    EXPECT_EQ(sweep(worker, own), 0u);
    end_immediate();
  }
  EXPECT_LE(implicit.live, 200u);
}

} // namespace
} // namespace xomp
