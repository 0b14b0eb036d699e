// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules of workers, families and tasks, broken on purpose: each is found where it stands. In builds
// whose runtime has assertions.
// xomp-test: asserts=core
#include <gtest/gtest.h>

#include "broken_rule.h"
#include "task/board.h"
#include "task/environment.h"
#include "task/family.h"
#include "task/frame.h"
#include "task/run.h"
#include "task/wake.h"
#include "team/policies.h"

namespace xomp {
namespace {

class PlantedInCore : public testing::Test {
protected:
  void SetUp() override {
    act_in(worker);
    worker.env = &env;
    worker.tasks = &team;
    worker.workers = workers;
    worker.policy = &policy_of(SchedulerKind::kAuto);
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
      each->state.store(kDone);
  }

  TaskTeam team;
  Env env;
  Worker worker;
  Worker* workers[1] = {&worker};
  Family* family = nullptr;
};

TEST_F(PlantedInCore, AnotherThreadsWorkerIsLeftAlone) {
  act_in(stranger);
  EXPECT_DEATH(own_env(worker), broken("task/environment.cc", "self == &worker"));
  EXPECT_DEATH(new_child(worker, *family, 8, 8),
               broken("task/family.cc", "self == &worker && family.owner == &worker"));
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
               broken("task/run.cc", "task.phase(std::memory_order_relaxed) == kRunning"));
}

TEST_F(PlantedInCore, NobodyGivesUpAPointerThatNobodyHolds) {
  DeferredTask& task = child(kReady);
  EXPECT_DEATH(try_claim(task, kAdvert), "task/family.cc:[0-9]+: .*task.names.held.*in try_claim");
  end_all();
  EXPECT_DEATH(drop_if_stale(&task), broken("task/run.cc", "task.names(kAdvert)"));
}

TEST_F(PlantedInCore, OnlyAdvertsAreOnTheBoard) {
  DeferredTask& task = child(kReady);
  EXPECT_DEATH(post(team, task),
               broken("task/board.cc", "board.lock.is_held() && task.names(kAdvert)"));
  end_all();
}

TEST_F(PlantedInCore, TheBoardCountsItsTasks) {
  post(team, child(kReady | kAdvert));
  team.board.count = 0;
  end_all();
  family->children.first->state.store(kDone | kAdvert);
  EXPECT_DEATH(clear_board(team.board),
               broken("task/board.cc", "board.count > 0 && task->names(kAdvert)"));
  team.board.count = 1;
  clear_board(team.board);
}

TEST_F(PlantedInCore, AFamilyCountsItsChildren) {
  child(kDone);
  family->live = 0;
  EXPECT_DEATH(sweep(worker, *family), broken("task/family.cc", "family.live > 0"));
  family->live = 1;
}

TEST_F(PlantedInCore, AWaitingChildIsCountedAmongThese) {
  DeferredTask& task = new_child(worker, *family, 8, 8);
  task.state.store(kDone);
  add_waiting(*family, task);
  family->waiting_count = 0;
  EXPECT_DEATH(sweep(worker, *family),
               broken("task/family.cc", "&list != &family.waiting || family.waiting_count > 0"));
  family->waiting_count = 1;
}

TEST_F(PlantedInCore, ATaskEndsOnce) {
  DeferredTask& task = child(kRunning);
  ASSERT_TRUE(part(worker, *family));
  EXPECT_DEATH(part(worker, *family), "task/family.cc:[0-9]+: .*!family.parted.*in part");
  family->parted.store(false);
  EXPECT_DEATH(settle(worker, *family), "task/family.cc:[0-9]+: .*family.parted.*in settle");
  task.state.store(kDone);
}

TEST_F(PlantedInCore, AFamilyIsKeptWhileATheftIsUnfinished) {
  family->stolen.store(1);
  EXPECT_DEATH(part(worker, *family), broken("task/family.cc", "is_unused(family)"));
  family->stolen.store(0);
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

TEST_F(PlantedInCore, WhoLiesDownIsAwake) {
  Scope inside{family, false};
  lie_down(worker, inside);
  EXPECT_DEATH(lie_down(worker, inside), "task/wake.cc:[0-9]+: .*worker.call.*in lie_down");
  get_up(worker, inside);
  EXPECT_DEATH(get_up(worker, inside), "task/wake.cc:[0-9]+: .*team.asleep.*in get_up");
}

TEST_F(PlantedInCore, SettingsAreHeldByWhoGivesThemBack) {
  Icv icv;
  icv.refs.store(0);
  Env owner{nullptr, &icv, kEnvOwnsIcv};
  EXPECT_DEATH(release_env(owner), "task/environment.cc:[0-9]+: .*refs.*in release_env");
}

TEST_F(PlantedInCore, MovesThatEndHaveBegun) {
  EXPECT_DEATH(team.sleepers.move_ends(), "sched/sleepers.h:[0-9]+: .*in move_ends");
}

} // namespace
} // namespace xomp
