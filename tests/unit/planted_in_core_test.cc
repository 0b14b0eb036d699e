// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules of workers, full frames and tasks, broken on purpose: each is found where it stands. In
// builds whose runtime has assertions.
// xomp-test: asserts=core
#include <gtest/gtest.h>

#include "broken_rule.h"
#include "task/children.h"
#include "task/environment.h"
#include "task/frame.h"
#include "task/full_frame.h"
#include "task/overflow.h"
#include "task/run.h"
#include "task/wakeup.h"
#include "workers.h"

namespace xomp {
namespace {

class PlantedInCore : public testing::Test {
protected:
  DeferredTask& child(uint32_t state) {
    DeferredTask& task = new_child(worker, *full_frame, 8, 8);
    task.state.store(state);
    add_ready(*full_frame, task);
    return task;
  }
  void end_all() {
    for (DeferredTask* each = full_frame->children.first; each; each = each->sibling)
      each->state.store(kDone);
  }

  Workers workers{1};
  TaskTeam& team = workers.team;
  Worker& worker = workers[0];
  FullFrame* full_frame = &own_full_frame(worker);
};

TEST_F(PlantedInCore, AnotherThreadsWorkerIsLeftAlone) {
  act_in(stranger);
  EXPECT_DEATH(own_env(worker), broken("task/environment.cc", "self == &worker"));
  EXPECT_DEATH(new_child(worker, *full_frame, 8, 8),
               broken("task/children.cc", "self == &worker && full_frame.owner == &worker"));
  act_in(worker);
}

TEST_F(PlantedInCore, ATaskIsRunByWhoHasClaimedIt) {
  DeferredTask& task = child(kReady);
  EXPECT_DEATH(launch(worker, task),
               broken("task/run.cc",
                      "self == &worker && task.phase(std::memory_order_relaxed) == kRunning"));
  end_all();
}

TEST_F(PlantedInCore, ATaskIsCompleteOnce) {
  DeferredTask& task = child(kDone);
  EXPECT_DEATH(complete(&worker, task),
               broken("task/complete.cc", "task.phase(std::memory_order_relaxed) == kRunning"));
}

TEST_F(PlantedInCore, NobodyGivesUpAPointerThatNobodyHolds) {
  DeferredTask& task = child(kReady);
  EXPECT_DEATH(try_claim(task, kInQueue),
               "task/children.cc:[0-9]+: .*task.names.held.*in try_claim");
  end_all();
  EXPECT_DEATH(drop_if_stale(&task), broken("task/run.h", "task.names(pointer)"));
}

TEST_F(PlantedInCore, OnlyQueueEntriesAreOnTheOverflowList) {
  DeferredTask& task = child(kReady);
  EXPECT_DEATH(post(team, task),
               broken("task/overflow.cc", "overflow.lock.is_held() && task.names(kInQueue)"));
  end_all();
}

TEST_F(PlantedInCore, TheOverflowListCountsItsTasks) {
  post(team, child(kReady | kInQueue));
  team.overflow.count = 0;
  end_all();
  full_frame->children.first->state.store(kDone | kInQueue);
  EXPECT_DEATH(clear_overflow(team.overflow), broken("task/overflow.cc", "overflow.count > 0"));
  team.overflow.count = 1;
  clear_overflow(team.overflow);
}

TEST_F(PlantedInCore, AFullFrameCountsItsChildren) {
  child(kDone);
  full_frame->live = 0;
  EXPECT_DEATH(sweep(worker, *full_frame), broken("task/children.cc", "full_frame.live > 0"));
  full_frame->live = 1;
}

TEST_F(PlantedInCore, AWaitingChildIsCountedAmongThese) {
  DeferredTask& task = new_child(worker, *full_frame, 8, 8);
  task.state.store(kDone);
  add_waiting(*full_frame, task);
  full_frame->waiting_count = 0;
  EXPECT_DEATH(
      sweep(worker, *full_frame),
      broken("task/children.cc", "&list != &full_frame.waiting || full_frame.waiting_count > 0"));
  full_frame->waiting_count = 1;
}

TEST_F(PlantedInCore, ATaskEndsOnce) {
  DeferredTask& task = child(kRunning);
  ASSERT_TRUE(leave_children(worker, *full_frame));
  EXPECT_DEATH(leave_children(worker, *full_frame),
               "task/full_frame.cc:[0-9]+: .*!full_frame.ended.*in leave_children");
  full_frame->ended.store(false);
  EXPECT_DEATH(free_or_keep(worker, *full_frame),
               "task/full_frame.cc:[0-9]+: .*full_frame.ended.*in free_or_keep");
  task.state.store(kDone);
}

TEST_F(PlantedInCore, AFullFrameIsKeptWhileATheftIsUnfinished) {
  full_frame->stolen.store(1);
  EXPECT_DEATH(leave_children(worker, *full_frame),
               broken("task/full_frame.cc", "childless(*full_frame)"));
  full_frame->stolen.store(0);
}

TEST_F(PlantedInCore, FramesEndInTheirOrder) {
  Slot *outer, *inner;
  Slot* first = enter_frame(worker, root_mark, outer);
  Slot* second = enter_frame(worker, root_mark, inner);
  EXPECT_DEATH(leave_frame(worker, first, outer), "task/frame.h:[0-9]+: .*stack.current == frame");
  second->depth += 1;
  EXPECT_DEATH(leave_frame(worker, second, inner), "task/frame.h:[0-9]+: .*depth [+] 1");
  second->depth -= 1;
  leave_frame(worker, second, inner);
  leave_frame(worker, first, outer);
}

TEST_F(PlantedInCore, OnlyAWorkerThatIsAwakeParks) {
  Scope inside = Scope::of(full_frame);
  prepare_park(worker, inside);
  EXPECT_DEATH(prepare_park(worker, inside),
               "task/wakeup.cc:[0-9]+: .*worker.wake_word.*in prepare_park");
  end_park(worker, inside);
  EXPECT_DEATH(end_park(worker, inside), "task/wakeup.cc:[0-9]+: .*team.asleep.*in end_park");
}

TEST_F(PlantedInCore, SettingsAreHeldByWhoGivesThemBack) {
  Icv icv;
  icv.refs.store(0);
  Env owner{nullptr, &icv, kEnvOwnsIcv};
  EXPECT_DEATH(release_env(owner), "task/environment.cc:[0-9]+: .*refs.*in release_env");
}

TEST_F(PlantedInCore, MovesThatEndHaveBegun) {
  EXPECT_DEATH(team.sleepers.move_ends(),
               broken("sys/span_count.h", "any_open(word.load(std::memory_order_relaxed))"));
}

} // namespace
} // namespace xomp
