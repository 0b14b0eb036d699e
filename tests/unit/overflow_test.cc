// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The team's overflow list: what a search takes off it, what it leaves, and that it bounds what
// waiting workers move to it. The races are in tests/models/deferred_task.pml and tests/stress/.
#include "task/overflow.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "task/children.h"
#include "task/frame.h"
#include "task/full_frame.h"
#include "workers.h"

namespace xomp {
namespace {

constexpr uint32_t kPosted = kReady | kInQueue;

class OverflowTest : public testing::Test {
protected:
  DeferredTask& child(uint32_t state) {
    DeferredTask& task = new_child(worker, *full_frame, 8, 8);
    task.state.store(state);
    add_ready(*full_frame, task);
    return task;
  }
  void end_all() {
    for (DeferredTask* each = full_frame->children.first; each; each = each->sibling)
      each->state.store(
          kDone | (each->state.load() & kInQueue)); // whoever ran it left the overflow list alone
  }
  DeferredTask* search(Scope scope) {
    looks.scope = scope;
    return claim_posted(worker, looks);
  }

  const Scope anything{Scope::kAnything}, nothing;
  Workers workers{2};
  TaskTeam& team = workers.team;
  Worker& worker = workers[0];
  FullFrame* full_frame = &own_full_frame(worker);
  Search looks;
};

TEST_F(OverflowTest, ATaskIsClaimedAndItsEntryGivenUp) {
  DeferredTask& task = child(kPosted);
  post(team, task);
  EXPECT_EQ(search(anything), &task);
  EXPECT_EQ(task.state.load(), kRunning);
  EXPECT_EQ(search(anything), nullptr);
  task.state.store(kDone);
}

// A worker between two regions that lost its processor between its look at the region and the
// overflow list.
TEST_F(OverflowTest, ATaskOfTheNextRegionIsLeftByAWorkerThatHasNotBegunIt) {
  DeferredTask& task = child(kDone | kInQueue);
  post(team, task);
  team.overflow.lock.lock();
  DeferredTask* found = nullptr;
  std::thread searcher([&] { found = search(anything); });
  std::this_thread::sleep_for(std::chrono::milliseconds(50)); // it waits for the lock
  team.region.store(worker.region_seen + 1);
  task.state.store(kPosted);
  team.overflow.lock.unlock();
  searcher.join();
  EXPECT_EQ(found, nullptr);
  worker.region_seen = team.region.load();
  EXPECT_EQ(search(anything), &task) << "in its turn it finds the task";
  task.state.store(kDone);
}

TEST_F(OverflowTest, AStaleTaskIsTakenOffAndMayBeFreedThen) {
  DeferredTask& task = child(kDone | kInQueue);
  post(team, task);
  EXPECT_EQ(search(anything), nullptr);
  EXPECT_EQ(task.state.load(), kDone);
  EXPECT_EQ(team.overflow.count, 0u);
}

TEST_F(OverflowTest, TheScopeDecides) {
  DeferredTask& stranger = child(kPosted);
  Slot* outer = nullptr;
  Slot* frame = enter_frame(worker, [](void*) {}, outer); // a task inside, with a child of its own
  FullFrame& inner = own_full_frame(worker);
  DeferredTask& descendant = new_child(worker, inner, 8, 8);
  add_ready(inner, descendant);
  descendant.state.store(kPosted);
  post(team, descendant);
  post(team, stranger);
  EXPECT_EQ(search(nothing), nullptr);
  looks.overflow_seen = 0;
  EXPECT_EQ(search(Scope::of(&inner)), &descendant);
  EXPECT_EQ(search(Scope::of(&inner)), nullptr);
  EXPECT_EQ(stranger.state.load(), kPosted) << "left for others";
  descendant.state.store(kDone);
  leave_children(worker, inner);
  worker.stack.current = outer;
  worker.stack.cut(frame);
  looks.overflow_seen = 0;
  EXPECT_EQ(search(anything), &stranger);
  stranger.state.store(kDone);
}

TEST_F(OverflowTest, AFruitlessSearchIsRepeatedOnlyAfterAPost) {
  DeferredTask& first = child(kPosted);
  post(team, first);
  EXPECT_EQ(search(nothing), nullptr);
  EXPECT_EQ(search(anything), nullptr) << "the same search would find the same";
  DeferredTask& second = child(kPosted);
  post(team, second);
  EXPECT_EQ(search(anything), &second);
  EXPECT_EQ(search(anything), &first);
  first.state.store(kDone);
  second.state.store(kDone);
}

TEST_F(OverflowTest, KeptTasksAreBoundedAndTheirWorkerIsWokenForMore) {
  std::size_t posted = 0;
  while (post_kept(team, child(kPosted)))
    ASSERT_LT(++posted, 100000u);
  EXPECT_GT(posted, 0u);
  EXPECT_TRUE(team.overflow.refused);
  worker.bell.prepare();
  Worker& other = workers[1];
  looks.scope = anything;
  DeferredTask* task = claim_posted(other, looks);
  ASSERT_NE(task, nullptr);
  EXPECT_FALSE(team.overflow.refused);
  worker.bell.sleep(); // returns at once: it was rung
  EXPECT_TRUE(post_kept(team, child(kPosted)));
  end_all();
}

TEST_F(OverflowTest, StaleTasksTakeNoRoom) {
  while (post_kept(team, child(kPosted))) {
  }
  DeferredTask& refused = child(kPosted);
  EXPECT_FALSE(post_kept(team, refused));
  // Their parents' workers run all but one, and nobody searches the overflow list.
  DeferredTask& left = child(kPosted);
  end_all();
  refused.state.store(kPosted);
  left.state.store(kPosted);
  EXPECT_TRUE(post_kept(team, left));
  EXPECT_EQ(search(anything), &left);
  EXPECT_TRUE(post_kept(team, refused));
  end_all();
}

TEST_F(OverflowTest, CanBeClearedOfStaleTasks) {
  post(team, child(kDone | kInQueue));
  post(team, child(kDone | kInQueue));
  clear_overflow(team.overflow);
  EXPECT_EQ(full_frame->children.first->state.load(), kDone);
  EXPECT_EQ(sweep(worker, *full_frame), 0u) << "both can be freed";
  clear_overflow(team.overflow);
}

TEST_F(OverflowTest, AnEventsSuccessorsAreNotBounded) {
  for (int i = 0; i < 1000; ++i)
    post(team, child(kPosted));
  EXPECT_EQ(team.overflow.count, 1000u);
  EXPECT_FALSE(post_kept(team, child(kPosted)));
  end_all();
}

} // namespace
} // namespace xomp
