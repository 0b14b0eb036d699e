// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much of what a worker creates others may take: what it answers when it is asked, and
// when others sleep. It is the only thread here; what others do is written by hand.
#include "task/create_on_stack.h"

#include <gtest/gtest.h>

#include "sys/asymmetric_fence.h"
#include "task/environment.h"
#include "task/wakeup.h"
#include "workers.h"

namespace xomp {
namespace {

class CreationTest : public testing::Test {
protected:
  void SetUp() override {
    if (!sys::has_asymmetric_fence())
      GTEST_SKIP() << "everything is public from the start";
    worker.defers_in_place = true;
    ASSERT_TRUE(lay_out_stack(worker));
  }
  void tasks_take(int64_t ticks) { worker.mean = ticks; }
  void create(int count) {
    TaskSpec spec{};
    spec.body = [](void*) {};
    spec.align = 1;
    for (int i = 0; i < count; ++i) {
      if (!push_task(worker, spec.body, nullptr, 0, 1))
        create_on_stack(worker, spec);
    }
  }
  void sleeps(Worker& sleeper) {
    act_in(sleeper);
    prepare_park(sleeper, Scope{Scope::kAnything});
    act_in(worker);
  }
  static bool was_woken(const Worker& sleeper) {
    return sleeper.wake_word.load() & WakeReason::kMade;
  }
  void ask() { worker.stack.limit = nullptr; }
  bool is_asked() const { return !worker.stack.limit.load(); }
  /// Tasks that others see.
  int64_t shown() const {
    int64_t count = 0;
    for (const Slot* slot = worker.stack.begin(); slot < worker.stack.end(); ++slot)
      count += Slot::is_pending(slot->link.load());
    return count;
  }

  static constexpr int64_t kSmall = kWorthComing / 100, kMedium = 5 * kWorthComing;
  Workers workers{3};
  TaskTeam& team = workers.team;
  Worker &worker = workers[0], &other = workers[1], &third = workers[2];
};

TEST_F(CreationTest, ShowsHalfOfWhatItKeepsWhenItIsAsked) {
  tasks_take(kMedium);
  create(1); // asked as it has not created any: that one is shown
  create(8);
  EXPECT_EQ(shown(), 1);
  EXPECT_FALSE(is_asked());
  ask();
  create(1);
  EXPECT_EQ(shown(), 1 + 5);
  EXPECT_FALSE(is_asked());
}

TEST_F(CreationTest, ShowsNothingThatIsOverBeforeAThiefHasCome) {
  tasks_take(kSmall);
  for (int i = 0; i < 10; ++i) {
    ask();
    create(1);
  }
  EXPECT_EQ(shown(), 0);
  create(200); // all of them are not
  ask();
  create(1);
  EXPECT_GT(shown(), 100);
}

TEST_F(CreationTest, LooksAtEachCreationForWhoeverSleeps) {
  tasks_take(kMedium);
  sleeps(other);
  sleeps(third);
  create(1);
  EXPECT_TRUE(is_asked());
  EXPECT_TRUE(was_woken(other));
  EXPECT_FALSE(was_woken(third));
  create(1);
  EXPECT_FALSE(is_asked()) << "none sleeps that was not woken";
  EXPECT_TRUE(was_woken(third));
}

TEST_F(CreationTest, AWorkerIsCountedAsAsleepUntilItIsWokenOrWakes) {
  sleeps(other);
  sleeps(third);
  EXPECT_EQ(team.asleep, 2U);
  wake_for_own(worker, false);
  EXPECT_EQ(team.asleep, 1U);
  act_in(third);
  EXPECT_FALSE(end_park(third, Scope{Scope::kAnything})) << "something else has woken it";
  EXPECT_EQ(team.asleep, 0U);
  act_in(other);
  EXPECT_TRUE(end_park(other, Scope{Scope::kAnything}));
  EXPECT_EQ(team.asleep, 0U);
  act_in(worker);
}

TEST_F(CreationTest, LeavesSmallOnesToThoseThatSearchAndSaysSo) {
  tasks_take(kSmall);
  sleeps(other);
  sleeps(third);
  team.searchers = 1;
  create(8);
  EXPECT_FALSE(is_asked());
  EXPECT_FALSE(was_woken(other));
  EXPECT_TRUE(team.left_to_searchers);
  team.searchers = 0;
  ask();
  create(1);
  EXPECT_TRUE(is_asked());
  EXPECT_TRUE(was_woken(other)) << "nobody searches any more";
}

TEST_F(CreationTest, MeasuresWhatItRunsAtOnceWhenItIsAsked) {
  create(static_cast<int>(most_waiting(worker)));
  EXPECT_EQ(worker.mean_at_once, 0);
  ask();
  create(1);
  EXPECT_GT(worker.mean_at_once, 0);
}

TEST_F(CreationTest, ThoseThatItRanAtOnceSayThatTheyAreSmallWhateverThievesSay) {
  tasks_take(kWorthComing);
  EXPECT_FALSE(are_small(worker, 1));
  EXPECT_FALSE(are_tiny(worker));
  note_size_at_once(worker, kSmall);
  EXPECT_TRUE(are_small(worker, 1));
  EXPECT_TRUE(are_tiny(worker));
}

TEST_F(CreationTest, ThoseThatItRanAtOnceSayNothingOfOthersThatTakeLonger) {
  note_size_at_once(worker, kSmall);
  tasks_take(kMedium);
  EXPECT_FALSE(are_small(worker, 1));
  EXPECT_FALSE(are_tiny(worker));
}

TEST_F(CreationTest, OneThatTookLongDoesNotMakeTheOthersLarge) {
  tasks_take(kWorthComing);
  note_size_at_once(worker, kSmall);
  note_size_at_once(worker, 1000 * kMedium);
  EXPECT_TRUE(are_small(worker, 1));
  for (int i = 0; i < 100; ++i)
    note_size_at_once(worker, 1000 * kMedium);
  EXPECT_FALSE(are_small(worker, 1));
}

TEST_F(CreationTest, WhatIsUrgentDoesNotLieOnAStackNorWhatComesAfterIt) {
  settings.max_task_priority = 3;
  TaskSpec spec{};
  EXPECT_EQ(flags_where_examined(worker, spec), 0u);
  spec.flags = kTaskPriority;
  EXPECT_EQ(flags_where_examined(worker, spec), 0u);
  spec.priority = 1;
  EXPECT_EQ(flags_where_examined(worker, spec), kTaskInHeap);
  team.has_priorities = true;
  EXPECT_EQ(flags_where_examined(worker, TaskSpec{}), kTaskInHeap);
  spec.flags = kTaskInHeap;
  EXPECT_FALSE(fits_on_stack(worker, spec));
  settings.max_task_priority = 0;
}

} // namespace
} // namespace xomp
