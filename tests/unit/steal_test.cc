// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From whom a thief takes. It is the only thread here: the others' stacks are filled by hand.
#include "task/steal.h"

#include <gtest/gtest.h>

#include "sys/asymmetric_fence.h"
#include "task/create_on_stack.h"
#include "task/frame.h"
#include "workers.h"

namespace xomp {
namespace {

class StealTest : public testing::Test {
protected:
  void SetUp() override {
    if (!sys::has_asymmetric_fence())
      GTEST_SKIP() << "everything is public from the start";
    for (Worker* each : {&inner, &outer, &thief}) {
      each->defers_in_place = true;
      act_in(*each);
      ASSERT_TRUE(lay_out_stack(*each));
    }
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

  Workers workers{3};
  Worker &inner = workers[0], &outer = workers[1], &thief = workers[2];
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

TEST_F(StealTest, NobodyLooksWhereNothingWasCreatedInThisRegion) {
  create(inner, 2, 0);
  workers.team.stacks_in_use.remove_all(); // as before a region, though something is left
  EXPECT_EQ(steal_one(), nullptr);
  create(inner, 1, 0);
  EXPECT_EQ(steal_one(), &inner);
}

TEST_F(StealTest, WhatAThiefHasTakenAlongCanBeStolenFromIt) {
  inner.mean = 1; // small: several at a time
  create(inner, 8, 0);
  act_in(thief);
  Slot* mark = steal(thief, Search{Scope{Scope::kAnything}});
  ASSERT_TRUE(mark);
  EXPECT_TRUE(workers.team.stacks_in_use.has(thief.id));
  EXPECT_GT(thief.stack.top() - mark, 1);
  act_in(outer);
  outer.steals_from = thief.id;
  Slot* again = steal(outer, Search{Scope{Scope::kAnything}, nullptr, true});
  ASSERT_TRUE(again);
  EXPECT_EQ(parent_of_stolen(again)->owner, &inner);
  EXPECT_EQ(thief.stack.guests, 1) << "from the thief";
  run_stolen(outer, again);
  act_in(thief);
  run_stolen(thief, mark);
}

TEST_F(StealTest, WhatAThiefIsAboutToRunIsItsOwn) {
  for (int count : {1, 8}) {
    inner.mean = 1; // small: several at a time
    create(inner, count, 0);
    act_in(thief);
    Slot* mark = steal(thief, Search{Scope{Scope::kAnything}});
    ASSERT_TRUE(mark);
    ASSERT_EQ(thief.stack.top() - mark > 1, count > 1);
    int others = 0; // taken from the thief, or left where they were
    act_in(outer);
    outer.steals_from = thief.id;
    while (Slot* again = steal(outer, Search{Scope{Scope::kAnything}, nullptr, true})) {
      others += static_cast<int>(outer.stack.top() - again);
      run_stolen(outer, again);
    }
    EXPECT_EQ(others, count - 1);
    uint64_t before = thief.counters.local + thief.counters.remote;
    act_in(thief);
    run_stolen(thief, mark);
    EXPECT_EQ(thief.counters.local + thief.counters.remote, before + 1);
    thief.backoff = Backoff();
  }
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
