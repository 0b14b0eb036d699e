// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of events: a handle leads to its task once, and to no task afterwards.
#include "task/event.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace xomp {
namespace {

TEST(Event, LeadsToItsTaskOnce) {
  DeferredTask task;
  EventHandle event = create_event(task);
  EXPECT_EQ(take_event(event), &task);
  EXPECT_EQ(take_event(event), nullptr);
}

TEST(Event, NoEventIsNobodys) {
  DeferredTask task;
  EventHandle event = create_event(task);
  EXPECT_EQ(take_event(kNoEvent), nullptr);
  EXPECT_EQ(take_event(event), &task);
}

TEST(Event, NeverUsedPlacesAreNobodys) {
  EXPECT_EQ(take_event(~EventHandle{0}), nullptr);
  EXPECT_EQ(take_event(EventHandle{1} << 32 | 0x7fffffff), nullptr);
}

TEST(Event, WithdrawnIsStale) {
  DeferredTask task;
  EventHandle event = create_event(task);
  EXPECT_TRUE(withdraw_event(task));
  EXPECT_EQ(take_event(event), nullptr);
  EXPECT_FALSE(withdraw_event(task));
}

TEST(Event, FulfilledCannotBeWithdrawn) {
  DeferredTask task;
  EXPECT_EQ(take_event(create_event(task)), &task);
  EXPECT_FALSE(withdraw_event(task));
}

TEST(Event, StaleHandleDoesNotReachTheNextUserOfItsPlace) {
  DeferredTask task, next;
  EventHandle stale = create_event(task);
  EXPECT_EQ(take_event(stale), &task);
  EventHandle fresh = create_event(next);
  ASSERT_EQ(task.event, next.event) << "the test wants the same place";
  EXPECT_EQ(take_event(stale), nullptr);
  EXPECT_FALSE(withdraw_event(task));
  EXPECT_EQ(take_event(fresh), &next);
}

TEST(Event, ManyAreOpenAtOnce) {
  constexpr int kMany = 10000;
  std::vector<DeferredTask> tasks(kMany);
  std::vector<EventHandle> events;
  for (DeferredTask& task : tasks)
    events.push_back(create_event(task));
  EXPECT_EQ(std::set<EventHandle>(events.begin(), events.end()).size(), tasks.size());
  for (int i = kMany - 1; i >= 0; --i)
    EXPECT_EQ(take_event(events[i]), &tasks[i]);
}

TEST(Event, KnowsWhichHandlesItHasGivenOut) {
  DeferredTask first, second;
  EventHandle stale = create_event(first);
  EXPECT_TRUE(was_event(stale));
  EXPECT_EQ(take_event(stale), &first);
  EventHandle open = create_event(second); // in the same place
  EXPECT_TRUE(was_event(stale));
  EXPECT_TRUE(was_event(open));
  EXPECT_FALSE(was_event(kNoEvent));
  EXPECT_FALSE(was_event(0x123456789));
  EXPECT_FALSE(was_event(open + (EventHandle{1} << 32)));
  EXPECT_FALSE(was_event(~EventHandle{0}));
  EXPECT_EQ(take_event(open), &second);
}

TEST(Event, WorksInAChildAfterFork) {
  DeferredTask before, after;
  EventHandle event = create_event(before);
  repair_events_after_fork();
  EventHandle second = create_event(after);
  EXPECT_EQ(take_event(event), &before);
  EXPECT_EQ(take_event(second), &after);
}

} // namespace
} // namespace xomp
