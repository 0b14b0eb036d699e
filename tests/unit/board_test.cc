// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The team's board: what a search takes off it, what it leaves, and that it bounds what waiting
// workers move to it. The races are in tests/models/deferred_task.pml and tests/stress/.
#include "task/board.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "task/family.h"
#include "task/frame.h"

namespace xomp {
namespace {

constexpr uint32_t kPosted = kReady | kAdvert;

class BoardTest : public testing::Test {
protected:
  void SetUp() override {
    act_in(worker);
    worker.env = &env;
    worker.tasks = &team;
    worker.workers = workers;
    family = &own_family(worker);
  }
  void TearDown() override {
    if (part(worker, *family))
      settle(worker, *family);
    free_families(worker);
    free_stack(worker);
    worker.heap.end();
    act_in(stranger);
  }
  DeferredTask& child(uint32_t state) {
    DeferredTask& task = new_child(worker, *family, 8, 8);
    task.state.store(state);
    add_ready(*family, task);
    return task;
  }
  void end_all() {
    for (DeferredTask* each = family->children.first; each; each = each->sibling)
      each->state.store(kDone |
                        (each->state.load() & kAdvert)); // whoever ran it left the board alone
  }
  DeferredTask* search(const Scope& scope) { return claim_posted(worker, scope, seen); }

  const Scope anything{nullptr, true};
  TaskTeam team;
  Env env;
  Worker worker;
  Worker* workers[1] = {&worker};
  Family* family = nullptr;
  uint64_t seen = 0;
};

TEST_F(BoardTest, ATaskIsClaimedAndItsAdvertGivenUp) {
  DeferredTask& task = child(kPosted);
  post(team, task);
  EXPECT_EQ(search(anything), &task);
  EXPECT_EQ(task.state.load(), kRunning);
  EXPECT_EQ(search(anything), nullptr);
  task.state.store(kDone);
}

// A docked worker that lost its processor between its look at the region and the board.
TEST_F(BoardTest, ATaskOfTheNextRegionIsLeftByAWorkerThatHasNotBegunIt) {
  DeferredTask& task = child(kDone | kAdvert);
  post(team, task);
  team.board.lock.lock();
  DeferredTask* found = nullptr;
  std::thread docked([&] { found = search(anything); });
  std::this_thread::sleep_for(std::chrono::milliseconds(50)); // it waits for the lock
  team.region.store(worker.seen + 1);
  task.state.store(kPosted);
  team.board.lock.unlock();
  docked.join();
  EXPECT_EQ(found, nullptr);
  worker.seen = team.region.load();
  EXPECT_EQ(search(anything), &task) << "in its turn it finds the task";
  task.state.store(kDone);
}

TEST_F(BoardTest, AStaleTaskIsTakenOffAndMayBeFreedThen) {
  DeferredTask& task = child(kDone | kAdvert);
  post(team, task);
  EXPECT_EQ(search(anything), nullptr);
  EXPECT_EQ(task.state.load(), kDone);
  EXPECT_EQ(team.board.count, 0u);
}

TEST_F(BoardTest, TheScopeDecides) {
  DeferredTask& stranger = child(kPosted);
  Slot* outer = nullptr;
  Slot* frame = enter_frame(worker, [](void*) {}, outer); // a task inside, with a child of its own
  Family& inner = own_family(worker);
  DeferredTask& descendant = new_child(worker, inner, 8, 8);
  add_ready(inner, descendant);
  descendant.state.store(kPosted);
  post(team, descendant);
  post(team, stranger);
  EXPECT_EQ(search(Scope{nullptr, false}), nullptr);
  seen = 0;
  EXPECT_EQ(search(Scope{&inner, false}), &descendant);
  EXPECT_EQ(search(Scope{&inner, false}), nullptr);
  EXPECT_EQ(stranger.state.load(), kPosted) << "left for others";
  descendant.state.store(kDone);
  part(worker, inner);
  worker.stack.current = outer;
  worker.stack.cut(frame);
  seen = 0;
  EXPECT_EQ(search(anything), &stranger);
  stranger.state.store(kDone);
}

TEST_F(BoardTest, AFruitlessSearchIsRepeatedOnlyAfterAPost) {
  DeferredTask& first = child(kPosted);
  post(team, first);
  EXPECT_EQ(search(Scope{nullptr, false}), nullptr);
  EXPECT_EQ(search(anything), nullptr) << "the same search would find the same";
  DeferredTask& second = child(kPosted);
  post(team, second);
  EXPECT_EQ(search(anything), &second);
  EXPECT_EQ(search(anything), &first);
  first.state.store(kDone);
  second.state.store(kDone);
}

TEST_F(BoardTest, KeptTasksAreBoundedAndTheirWorkerIsWokenForMore) {
  std::size_t posted = 0;
  while (post_kept(team, child(kPosted)))
    ASSERT_LT(++posted, 100000u);
  EXPECT_GT(posted, 0u);
  EXPECT_TRUE(team.board.refused);
  worker.bell.prepare();
  Worker other;
  other.env = &env;
  other.tasks = &team;
  other.workers = workers; // the one that sleeps
  DeferredTask* task = claim_posted(other, anything, seen);
  ASSERT_NE(task, nullptr);
  EXPECT_FALSE(team.board.refused);
  worker.bell.sleep(); // returns at once: it was rung
  EXPECT_TRUE(post_kept(team, child(kPosted)));
  end_all();
}

TEST_F(BoardTest, StaleTasksTakeNoRoom) {
  while (post_kept(team, child(kPosted))) {
  }
  DeferredTask& refused = child(kPosted);
  EXPECT_FALSE(post_kept(team, refused));
  // Their parents' workers run all but one, and nobody searches the board.
  DeferredTask& left = child(kPosted);
  end_all();
  refused.state.store(kPosted);
  left.state.store(kPosted);
  EXPECT_TRUE(post_kept(team, left));
  EXPECT_EQ(search(anything), &left);
  EXPECT_TRUE(post_kept(team, refused));
  end_all();
}

TEST_F(BoardTest, CanBeClearedOfStaleTasks) {
  post(team, child(kDone | kAdvert));
  post(team, child(kDone | kAdvert));
  clear_board(team.board);
  EXPECT_EQ(family->children.first->state.load(), kDone);
  EXPECT_EQ(sweep(worker, *family), 0u) << "both can be freed";
  clear_board(team.board);
}

TEST_F(BoardTest, AnEventsSuccessorsAreNotBounded) {
  for (int i = 0; i < 1000; ++i)
    post(team, child(kPosted));
  EXPECT_EQ(team.board.count, 1000u);
  EXPECT_FALSE(post_kept(team, child(kPosted)));
  end_all();
}

} // namespace
} // namespace xomp
