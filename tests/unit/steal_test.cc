// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From whom a thief takes. It is the only thread here: the others' stacks are filled by hand.
#include "task/steal.h"

#include <gtest/gtest.h>

#include "sys/asymmetric_fence.h"
#include "task/create_on_stack.h"
#include "task/environment.h"
#include "task/frame.h"
#include "team/team.h"

namespace xomp {
namespace {

class StealTest : public testing::Test {
protected:
  void SetUp() override {
    if (!sys::has_asymmetric_fence())
      GTEST_SKIP() << "everything is public from the start";
    team.count = 3;
    team.sleepers.reserve(3);
    for (int i = 0; i < 3; ++i) {
      Worker& each = static_cast<Worker&>(*peers[i]);
      each.id = i;
      each.count = 3;
      each.tasks = &team;
      each.peers = peers;
      each.sleepers = &team.sleepers;
      each.env = &env;
      each.defers_in_place = true;
      act_in(each);
      ASSERT_TRUE(make_room(each));
    }
  }
  void TearDown() override {
    for (Worker* each : {&inner, &outer, &thief}) {
      act_in(*each);
      free_all_full_frames(*each);
      free_stack(*each);
      each->heap.end();
    }
    team.sleepers.end();
    act_in(stranger);
  }
  /// So many tasks inside as many others as `depth`, all public.
  static void create(Worker& worker, int count, int depth) {
    act_in(worker);
    for (int i = 0; i < depth; ++i) {
      Slot* around = nullptr;
      ASSERT_TRUE(enter_frame(worker, [](void*) {}, around));
    }
    TaskSpec spec{};
    spec.body = [](void*) {};
    spec.align = 1;
    for (int i = 0; i < count; ++i)
      create_on_stack(worker, spec);
    worker.stack.expose(true);
  }
  /// Whose the task is that the thief takes and runs; null: there is none.
  const Worker* steal_one() {
    act_in(thief);
    Slot* mark = steal(thief, Search{Scope{Scope::kAnything}});
    if (!mark)
      return nullptr;
    const Worker* victim = parent_of_stolen(mark)->owner;
    run_stolen(thief, mark);
    thief.backoff = Backoff();
    return victim;
  }

  TaskTeam team;
  Env env;
  Worker inner, outer, thief;
  Port* peers[3] = {&inner, &outer, &thief};
};

TEST_F(StealTest, LargeOnesWithFewestAroundThemFirst) {
  create(inner, 8, 2);
  create(outer, 2, 0);
  for (int64_t ran : {int64_t{0}, 2 * kTicksOfLarge}) {
    thief.ran_for = ran;
    thief.steals_from = 0;
    EXPECT_EQ(steal_one(), &outer) << ran;
  }
  thief.ran_for = 2 * kTicksOfLarge;
  EXPECT_EQ(steal_one(), &inner) << "no others are left";
}

TEST_F(StealTest, SmallOnesWhereThereWereSomeLast) {
  create(inner, 8, 2);
  create(outer, 2, 0);
  thief.ran_for = 1;
  EXPECT_EQ(steal_one(), &inner);
  EXPECT_EQ(steal_one(), &inner);
}

} // namespace
} // namespace xomp
