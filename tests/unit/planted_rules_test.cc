// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules of the data structures, broken on purpose: each is found where it stands. Compiled with
// assertions in every build, on its own copy of sys/.
// xomp-test: asserts=alone
#include <gtest/gtest.h>

#include "broken_rule.h"
#include "queue/locked_deque.h"
#include "queue/mpsc_ring.h"
#include "queue/shared_ring.h"
#include "queue/split_stack.h"
#include "queue/spsc_ring.h"
#include "sys/turn_lock.h"
#include "task/task.h"

namespace xomp {
namespace {

void body(void*) {}

class PlantedInStack : public testing::Test {
protected:
  static constexpr int kSlots = 8;
  void SetUp() override { stack.attach(memory, kSlots); }
  void push() {
    stack.top()[1].body = body;
    stack.push(stack.top() + 1);
  }
  Slot memory[kSlots] = {};
  Slot ground{body, 0, 1, {}};
  SplitStack stack{&ground};
};

TEST_F(PlantedInStack, APushLeavesNoSlotOut) {
  stack.top()[2].body = body;
  EXPECT_DEATH(stack.push(stack.top() + 2),
               broken("queue/split_stack.h", "slot == top() + 1 && slot < last && slot->body"));
}

TEST_F(PlantedInStack, APushStaysInTheMemory) {
  for (int i = 1; i < kSlots; ++i)
    push();
  EXPECT_DEATH(stack.push_frame(stack.top() + 1),
               broken("queue/split_stack.h", "slot == top() + 1 && slot < last"));
}

TEST_F(PlantedInStack, OnlyTheTopIsClaimed) {
  push();
  push();
  EXPECT_DEATH(
      stack.claim(memory + 1),
      broken("queue/split_stack.h", "slot == top() && slot > current && Slot::is_pending(kind)"));
}

TEST_F(PlantedInStack, WhatPendsIsNotCutOff) {
  push();
  EXPECT_DEATH(stack.cut(memory + 1), "queue/split_stack.h:[0-9]+: .*nothing_pends_from");
}

TEST_F(PlantedInStack, OnlyAFrameIsClosed) {
  push();
  EXPECT_DEATH(stack.close(memory + 1), "queue/split_stack.h:[0-9]+: .*holds_frame.*in close");
}

TEST_F(PlantedInStack, TheTailIsMovedUnderTheLock) {
  push();
  EXPECT_DEATH(stack.move_tail(memory + 1, memory),
               broken("queue/split_stack.h", "in_order() && begin() <= end && end <= this->end()"));
}

TEST_F(PlantedInStack, TheTailStaysBelowTheSplit) {
  push();
  stack.lock();
  stack.tail.store(memory + 1);
  EXPECT_DEATH(stack.force(), broken("queue/split_stack.h", "in_order()"));
}

TEST_F(PlantedInStack, ATaskIsTakenOnce) {
  push();
  stack.lock();
  memory[1].body = nullptr; // as if a thief had it
  Slot to;
  EXPECT_DEATH(SplitStack::take(memory + 1, &to), broken("queue/split_stack.h", "slot->body"));
}

TEST_F(PlantedInStack, NoMoreTakingEndsThanHasBegun) {
  push();
  EXPECT_DEATH(stack.end_taking(memory + 1, memory + 2),
               "queue/split_stack.h:[0-9]+: .*taken_below_top >= end - first");
}

TEST(PlantedInQueues, TheProducerHasRoom) {
  auto* ring = SharedRing<int>::create(2);
  int item = 0;
  ring->push(&item);
  ring->push(&item);
  EXPECT_DEATH(
      ring->push(&item),
      broken("queue/shared_ring.h", "item && at - head.load(std::memory_order_relaxed) <= mask"));
  SharedRing<int>::destroy(ring);
}

TEST(PlantedInQueues, ConsumersHoldTheLock) {
  auto* ring = SharedRing<int>::create(2);
  int item = 0;
  ring->push(&item);
  EXPECT_DEATH(ring->remove(ring->begin()),
               broken("queue/shared_ring.h", "lock.is_held() && is_inside(index) && at(index)"));
  EXPECT_DEATH(ring->trim(), broken("queue/shared_ring.h", "lock.is_held()"));
  SharedRing<int>::destroy(ring);
}

TEST(PlantedInQueues, AConsumerTakesWhatIsThere) {
  auto* ring = SpscRing<int>::create(2);
  EXPECT_DEATH(ring->pop(), broken("queue/spsc_ring.h", "front()"));
  SpscRing<int>::destroy(ring);
  EXPECT_DEATH(SpscRing<int>::create(3),
               broken("queue/spsc_ring.h", "capacity && (capacity & (capacity - 1)) == 0"));
}

TEST(PlantedInQueues, NullIsNoItem) {
  auto* ring = MpscRing<int>::create(2);
  EXPECT_DEATH(ring->push(nullptr), broken("queue/mpsc_ring.h", "item && item != taken()"));
  MpscRing<int>::destroy(ring);
  LockedDeque<int> deque;
  EXPECT_DEATH(deque.push(nullptr, 1), broken("queue/locked_deque.h", "item"));
}

TEST(PlantedInLocks, AFreeLockIsNotGivenBack) {
  sys::BriefLock lock;
  EXPECT_DEATH(lock.unlock(), broken("sys/brief_lock.h", "is_held()"));
}

TEST(PlantedInLocks, ASleeperIsToldOnce) {
  sys::TurnSleeper sleeper;
  sleeper.tell(sys::TurnSleeper::kCalled);
  EXPECT_DEATH(
      sleeper.tell(sys::TurnSleeper::kHanded),
      broken("sys/turn_lock.h", "word.load(std::memory_order_relaxed) == kNone && what != kNone"));
}

TEST(PlantedInLocks, TheQueueIsChangedUnderItsLock) {
  sys::TurnQueue queue;
  sys::TurnSleeper sleeper;
  EXPECT_DEATH(queue.push_back(sleeper), broken("sys/turn_lock.h", "lock.is_held()"));
  queue.lock.lock();
  EXPECT_DEATH(queue.remove(sleeper), broken("sys/turn_lock.h", "*link"));
}

TEST(PlantedInTasks, OnlyStatesThatFollowAreAllowed) {
  static_assert(may_become(kWaiting, kReady | kInQueue | kInReadyList));
  static_assert(may_become(kWaiting, kRunning));
  static_assert(may_become(kReady | kInQueue, kRunning | kInQueue));
  static_assert(may_become(kReady | kInQueue, kReady));
  static_assert(may_become(kRunning | kInReadyList, kDone | kInReadyList));
  static_assert(may_become(kDone | kInQueue, kDone));
  static_assert(!may_become(kReady, kReady | kInQueue), "a queue entry is not made up");
  static_assert(!may_become(kReady, kDone), "nothing is done that was not claimed");
  static_assert(!may_become(kRunning, kReady), "nobody gives a claim back");
  static_assert(!may_become(kWaiting, kDone));
  static_assert(!may_become(kDone, kRunning));
  DeferredTask task;
  task.state.store(kReady | kInQueue);
  EXPECT_TRUE(task.may_be(kRunning));
  EXPECT_FALSE(task.may_be(kDone));
  EXPECT_TRUE(task.names(kInQueue));
  EXPECT_FALSE(task.names(kInReadyList));
}

TEST(PlantedInTasks, NothingIsTakenOffAnEmptyList) {
  ChildList list;
  EXPECT_DEATH(list.unlink(&list.first), broken("task/task.h", "first && *link"));
}

} // namespace
} // namespace xomp
