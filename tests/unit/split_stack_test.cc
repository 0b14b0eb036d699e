// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A worker's stack of tasks: what each operation leaves behind, seen from its owner and from a
// thief, and all of it between threads.
#include "queue/split_stack.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <array>
#include <memory>
#include <ostream>
#include <thread>
#include <vector>

namespace xomp {
namespace {

void first_body(void*) {}
void other_body(void*) {}
void frame_body(void*) {}

struct Content {
  long number;
  char fill[Slot::kRoom - sizeof(long)];
};
static_assert(sizeof(Content) == Slot::kRoom);

/// Each byte of the arguments follows from the number.
void fill(Slot& slot, long number) {
  Content content;
  content.number = number;
  std::memset(content.fill, static_cast<char>(number * 7 + 1), sizeof content.fill);
  std::memcpy(slot.arguments, &content, sizeof content);
  slot.body = number % 2 ? other_body : first_body;
}
/// -1: it is not what `fill` wrote.
long number_of(const Slot& slot) {
  Content content;
  std::memcpy(&content, slot.arguments, sizeof content);
  for (char each : content.fill) {
    if (each != static_cast<char>(content.number * 7 + 1))
      return -1;
  }
  return slot.body == (content.number % 2 ? other_body : first_body) ? content.number : -1;
}

constexpr std::size_t kSlots = 64;

class SplitStackTest : public testing::Test {
protected:
  void SetUp() override { stack.attach(memory.get(), kSlots); }

  Slot* at(int n) { return memory.get() + n; }
  int height() const { return static_cast<int>(stack.top() - memory.get()); }
  int split() const { return static_cast<int>(stack.split.load() - memory.get()); }
  int tail() const { return static_cast<int>(stack.tail.load() - memory.get()); }
  void push(long number, uintptr_t kind = Slot::kPending) {
    Slot* slot = stack.top() + 1;
    fill(*slot, number);
    stack.push(slot, kind);
  }
  void push_all(int count) {
    for (int i = 1; i <= count; ++i)
      push(i);
  }
  Slot* push_frame() {
    Slot* slot = stack.top() + 1;
    slot->body = frame_body;
    stack.push_frame(slot);
    return slot;
  }
  void expose_all() {
    stack.lock();
    stack.open_up_to(stack.head.load());
    stack.unlock();
  }
  /// As the owner; 0: there is none, which is taken off.
  long claim() {
    Slot* slot = stack.top();
    uintptr_t link = slot->link.load();
    bool claimed = (Slot::is_pending(link) && stack.claim(slot, link)) || stack.claim_slowly(slot);
    return claimed ? number_of(*slot) : 0;
  }
  /// As the owner: the task on top, begun and ended.
  long run() {
    long number = claim();
    if (number)
      stack.cut(stack.top());
    return number;
  }
  /// As a thief, from slot `n`.
  long take(int n, uintptr_t expected = Slot::kPending) {
    Slot to{};
    stack.lock();
    uintptr_t kind = SplitStack::take(at(n), &to);
    stack.unlock();
    if (!kind)
      return 0;
    EXPECT_EQ(kind, expected);
    EXPECT_EQ(to.link.load(), Slot::kGone) << "nobody else may take it from there yet";
    return number_of(to);
  }
  void move_tail(int n, Slot* frame = nullptr) {
    stack.lock();
    stack.move_tail(at(n), frame);
    stack.unlock();
  }
  /// Numbers of what is pending, oldest first; those of orphans negative.
  std::vector<long> pending() {
    std::vector<long> found;
    Slot* end = stack.head.load();
    for (Slot* slot = stack.begin(); (slot = SplitStack::next_pending(slot, end)) < end; ++slot)
      found.push_back(slot->link.load() == Slot::kOrphan ? -number_of(*slot) : number_of(*slot));
    return found;
  }
  using Numbers = std::vector<long>;

  Slot ground{frame_body, 0, 1, {}};
  SplitStack stack{&ground};
  std::unique_ptr<Slot[]> memory{new Slot[kSlots]};
};

TEST(SplitStack, WithoutMemoryNobodyFindsAnything) {
  Slot ground{frame_body, 0, 1, {}};
  SplitStack stack(&ground);
  EXPECT_EQ(stack.top(), &ground);
  EXPECT_EQ(stack.current, &ground);
  EXPECT_FALSE(stack.looks_public());
  stack.lock();
  stack.force();
  EXPECT_EQ(stack.begin(), nullptr);
  EXPECT_EQ(stack.end(), nullptr);
  stack.unlock();
  EXPECT_FALSE(stack.looks_public());
}

TEST_F(SplitStackTest, TheFrameAtTheBottomMovesToTheMemoryAndBack) {
  EXPECT_EQ(stack.current, at(0));
  EXPECT_EQ(stack.top(), at(0));
  EXPECT_EQ(at(0)->body, frame_body);
  EXPECT_TRUE(Slot::is_frame(at(0)->link.load()));
  EXPECT_FALSE(stack.looks_public());
  stack.leave(&ground);
  EXPECT_EQ(stack.current, &ground);
  EXPECT_EQ(stack.top(), &ground);
  EXPECT_EQ(stack.begin(), nullptr);
  EXPECT_EQ(stack.first, nullptr);
}

TEST_F(SplitStackTest, TheOwnerClaimsTheNewestFirst) {
  push_all(3);
  EXPECT_EQ(stack.waiting(1), 3);
  for (long expected : {3, 2, 1}) {
    Slot* slot = stack.top();
    ASSERT_TRUE(stack.claim(slot));
    EXPECT_TRUE(Slot::is_frame(slot->link.load()));
    EXPECT_EQ(number_of(*slot), expected);
    EXPECT_TRUE(stack.is_private(slot));
    stack.pop(slot);
  }
  EXPECT_EQ(stack.top(), at(0));
  EXPECT_EQ(stack.waiting(1), 0);
}

TEST_F(SplitStackTest, AClaimIsForTheKindThatWasAskedFor) {
  push_frame();
  EXPECT_FALSE(stack.claim(stack.top())) << "a frame";
  push(1);
  EXPECT_FALSE(stack.claim(stack.top(), Slot::kOrphan)) << "it has a parent";
  EXPECT_EQ(pending(), Numbers{1}) << "nothing has changed";
}

TEST_F(SplitStackTest, WhatIsPublicIsClaimedSlowlyAndHalfOfItBecomesPrivateAgain) {
  push_all(8);
  expose_all();
  EXPECT_FALSE(stack.claim(stack.top()));
  ASSERT_TRUE(stack.claim_slowly(stack.top()));
  EXPECT_EQ(number_of(*stack.top()), 8);
  EXPECT_TRUE(Slot::is_frame(stack.top()->link.load()));
  EXPECT_EQ(split(), 4);
  EXPECT_TRUE(stack.is_private(stack.top()));
  EXPECT_FALSE(stack.is_private(at(3)));
}

TEST_F(SplitStackTest, WhoKeepsNothingToItselfGetsOnlyWhatItClaims) {
  push_all(8);
  stack.all_public = true;
  stack.expose();
  EXPECT_EQ(split(), 9);
  ASSERT_EQ(claim(), 8);
  EXPECT_EQ(split(), 8);
}

TEST_F(SplitStackTest, AllIsPublicWhereItsOwnerSaysSo) {
  push_all(8);
  stack.expose(true);
  EXPECT_EQ(split(), 9);
  ASSERT_EQ(claim(), 8);
  EXPECT_EQ(split(), 4) << "but it keeps nothing to itself only then";
}

TEST_F(SplitStackTest, SaysHowDeepTheOldestOfWhatIsPublicLies) {
  push(1);
  push_frame()->depth = 2;
  push(2);
  push(3);
  expose_all();
  EXPECT_EQ(stack.public_depth(), 1u);
  ASSERT_EQ(take(1), 1);
  stack.lock();
  stack.move_tail(at(2), at(0));
  stack.unlock();
  EXPECT_EQ(stack.public_depth(), 2u) << "above the next frame";
  ASSERT_EQ(run(), 3);
  ASSERT_EQ(run(), 2);
  push(4);
  stack.expose();
  EXPECT_EQ(stack.public_depth(), 2u);
}

TEST_F(SplitStackTest, WhatThievesTookIsTakenOff) {
  push_all(2);
  expose_all();
  EXPECT_EQ(take(2), 2);
  EXPECT_EQ(claim(), 0);
  EXPECT_EQ(stack.top(), at(1));
  EXPECT_EQ(split(), 2);
  EXPECT_EQ(run(), 1);
  EXPECT_EQ(stack.top(), at(0));
}

// The owner has written over `link` of a task that a thief has got: it finds out under the lock.
TEST_F(SplitStackTest, AClaimThatCameTooLateIsTakenBack) {
  push_all(2);
  stack.lock();
  stack.force();
  Slot to{};
  EXPECT_EQ(SplitStack::take(at(2), &to), uintptr_t{Slot::kPending});
  stack.unlock();
  at(2)->link.store(0); // `claim`, which had found it pending before
  EXPECT_FALSE(stack.is_private(at(2)));
  EXPECT_FALSE(stack.claim_slowly(at(2)));
  EXPECT_EQ(stack.top(), at(1));
}

// And the other way round: the thief finds a frame and leaves it.
TEST_F(SplitStackTest, WhatTheOwnerIsAboutToClaimIsNotTaken) {
  push_all(2);
  at(2)->link.store(0); // `claim`, before its look at what is public
  stack.lock();
  stack.force();
  stack.unlock();
  EXPECT_EQ(take(2), 0);
  EXPECT_EQ(take(1), 1) << "below it all is as usual";
  EXPECT_FALSE(stack.is_private(at(2)));
  EXPECT_TRUE(stack.claim_slowly(at(2)));
  EXPECT_EQ(number_of(*at(2)), 2);
}

TEST_F(SplitStackTest, TheOwnerTakesInOrderWhatIsPrivate) {
  push_all(3);
  for (int n : {1, 2, 3}) {
    EXPECT_EQ(stack.waiting(1), 4 - n);
    auto* body = stack.take_below_top(at(n));
    ASSERT_NE(body, nullptr);
    EXPECT_EQ(body, at(n)->body);
    EXPECT_EQ(number_of(*at(n)), n);
    EXPECT_EQ(stack.take_below_top(at(n)), nullptr) << "a second time";
  }
  EXPECT_TRUE(stack.end_taking(at(1), at(4)));
  EXPECT_EQ(stack.top(), at(0));
  EXPECT_EQ(stack.waiting(1), 0);
}

TEST_F(SplitStackTest, WhatIsTakenInOrderIsForNobodyElse) {
  push_all(3);
  ASSERT_NE(stack.take_below_top(at(1)), nullptr);
  EXPECT_EQ(pending(), (Numbers{2, 3}));
  stack.expose();
  EXPECT_EQ(split(), 3) << "half of those that are left";
  EXPECT_EQ(take(1), 0);
  EXPECT_EQ(take(2), 2);
}

TEST_F(SplitStackTest, WhatIsPublicIsNotTakenInOrder) {
  push_all(3);
  ASSERT_NE(stack.take_below_top(at(1)), nullptr);
  expose_all();
  EXPECT_EQ(stack.take_below_top(at(2)), nullptr);
  EXPECT_EQ(pending(), (Numbers{2, 3}));
  EXPECT_FALSE(stack.end_taking(at(1), at(2))) << "there is more above";
  EXPECT_TRUE(stack.holes);
  EXPECT_EQ(run(), 3);
  EXPECT_EQ(run(), 2);
  EXPECT_EQ(claim(), 0) << "the first one is taken off";
  EXPECT_EQ(stack.top(), at(0));
}

TEST_F(SplitStackTest, OrphansAreNotTakenInOrder) {
  Slot* frame = push_frame();
  push_all(2);
  stack.close(frame);
  EXPECT_EQ(stack.take_below_top(at(1)), nullptr);
  EXPECT_EQ(pending(), (Numbers{-1, -2}));
}

TEST_F(SplitStackTest, OrderedOnesAreChildrenThatAreOnlyTakenInOrder) {
  push(1, Slot::kOrdered);
  push(2);
  push(3, Slot::kOrdered);
  EXPECT_FALSE(stack.claim(stack.top())) << "it is not of the kind that was asked for";
  EXPECT_TRUE(stack.has_child(stack.current));
  EXPECT_TRUE(stack.has_ordered());
  EXPECT_EQ(stack.waiting(1), 1) << "they wait for something";
  EXPECT_EQ(stack.count_pending(), 1);
  stack.compact(stack.current);
  EXPECT_EQ(at(1)->link.load(), uintptr_t{Slot::kOrdered});
  EXPECT_EQ(at(2)->link.load(), uintptr_t{Slot::kPending});
  for (int n : {1, 2, 3})
    EXPECT_NE(stack.take_below_top(at(n)), nullptr);
  EXPECT_TRUE(stack.end_taking(at(1), at(4)));
  EXPECT_FALSE(stack.has_child(stack.current));
  EXPECT_FALSE(stack.has_ordered());
}

TEST_F(SplitStackTest, OrderedOnesAreTakenOutFromAmongOthers) {
  push(1);
  push(2, Slot::kOrdered);
  push(3);
  push(4, Slot::kOrdered);
  Numbers out;
  stack.empty_ordered([&](Slot& slot) { out.push_back(number_of(slot)); });
  EXPECT_EQ(out, (Numbers{2, 4}));
  EXPECT_EQ(pending(), (Numbers{1, 3}));
  EXPECT_FALSE(stack.has_ordered());
  EXPECT_EQ(stack.waiting(1), 2);
  push(5, Slot::kOrdered);
  stack.empty(stack.current, [](Slot&) {});
  EXPECT_FALSE(stack.has_ordered()) << "to take out all takes them as well";
}

TEST_F(SplitStackTest, ATaskIsTakenOnceWithItsArguments) {
  push_all(3);
  expose_all();
  EXPECT_EQ(take(1), 1);
  EXPECT_EQ(at(1)->link.load(), uintptr_t{Slot::kGone});
  EXPECT_EQ(at(1)->body, nullptr);
  EXPECT_EQ(take(1), 0);
  EXPECT_EQ(take(0), 0) << "the frame at the bottom";
  EXPECT_EQ(pending(), (Numbers{2, 3}));
}

TEST_F(SplitStackTest, ExposingGivesTheOlderHalf) {
  push_all(5);
  stack.lock();
  stack.open_up_to(at(1));
  stack.unlock();
  EXPECT_GT(stack.kept_private(), 0);
  for (int expected : {4, 5, 6, 6}) {
    stack.expose();
    EXPECT_EQ(split(), expected);
  }
  EXPECT_TRUE(stack.looks_public());
  EXPECT_EQ(stack.kept_private(), 0);
  stack.lock();
  EXPECT_EQ(stack.end(), at(6));
  stack.unlock();
}

TEST_F(SplitStackTest, WhoIsAskedGivesTheOlderHalfOfTheRestWithItsNextClaim) {
  push_all(5);
  stack.ask_at_claim();
  EXPECT_FALSE(stack.looks_public()) << "nothing changes before the owner comes";
  EXPECT_EQ(claim(), 5);
  EXPECT_EQ(split(), 3) << "1 and 2 of the four that are left";
  stack.pop(stack.top());
  EXPECT_EQ(claim(), 4);
  EXPECT_EQ(split(), 3) << "it was asked once";
}

TEST_F(SplitStackTest, WhoIsAskedForItsLastTaskKeepsIt) {
  push(1);
  stack.ask_at_claim();
  EXPECT_EQ(claim(), 1);
  EXPECT_FALSE(stack.looks_public());
}

TEST_F(SplitStackTest, WhoTakesInOrderAndIsAskedGivesTheOlderHalfOfTheRest) {
  push_all(5);
  stack.ask_at_claim();
  EXPECT_TRUE(stack.take_below_top(at(1)));
  EXPECT_EQ(split(), 4) << "2 and 3 of the four that are left";
  EXPECT_FALSE(stack.take_below_top(at(2))) << "it is public";
  EXPECT_EQ(stack.end_taking(at(1), at(2)), false);
}

TEST_F(SplitStackTest, AnAskedOwnerStillFindsWhatThievesTook) {
  push_all(2);
  expose_all();
  stack.ask_at_claim();
  Slot taken{};
  stack.lock();
  ASSERT_TRUE(SplitStack::take(at(2), &taken));
  stack.unlock();
  EXPECT_EQ(claim(), 0);
  EXPECT_EQ(claim(), 1);
}

TEST_F(SplitStackTest, ForcingGivesAllAndNoMoreThanThereIs) {
  push_all(3);
  stack.lock();
  stack.force();
  EXPECT_EQ(stack.end(), at(4));
  stack.unlock();
  EXPECT_EQ(stack.kept_private(), 0);
  push(4);
  EXPECT_GT(stack.kept_private(), 0);
  EXPECT_TRUE(stack.claim(stack.top())) << "what is made afterwards is the owner's";
  stack.pop(stack.top());
  EXPECT_EQ(run(), 3);
  stack.lock();
  EXPECT_GE(SplitStack::next_pending(at(3), stack.end()), stack.end())
      << "nothing that was popped is there to be taken";
  stack.unlock();
}

/// Whether a thief that looks before its sleep finds something private, or one that looks for a
/// moment.
struct Keeps {
  bool thoroughly, at_a_glance;
  friend bool operator==(const Keeps&, const Keeps&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Keeps& keeps) {
    return out << keeps.thoroughly << keeps.at_a_glance;
  }
};
Keeps keeps(SplitStack& stack) {
  stack.lock();
  bool thoroughly = stack.keeps_pending(true);
  stack.unlock();
  return {thoroughly, stack.keeps_pending(false)};
}

TEST_F(SplitStackTest, KeepsWhatIsPendingAndPrivate) {
  constexpr Keeps kNothing{false, false}, kSomething{true, true};
  EXPECT_EQ(keeps(stack), kNothing) << "the frame at the bottom";
  push(1);
  EXPECT_EQ(keeps(stack), kSomething);
  expose_all();
  EXPECT_EQ(keeps(stack), kNothing) << "it is public";
  push_frame();
  EXPECT_EQ(keeps(stack), kNothing) << "a frame is of no use to others";
  push(2);
  push_frame();
  EXPECT_EQ(keeps(stack), kSomething) << "below a frame, too";
  Slot ground{frame_body, 0, 1, {}};
  SplitStack without_memory(&ground);
  EXPECT_EQ(keeps(without_memory), kNothing);
}

TEST(SplitStackGlance, SeesBothEndsOfManyFrames) {
  constexpr int kFrames = 400;
  auto memory = std::make_unique<Slot[]>(kFrames + 16);
  for (int at : {0, 1, 60, 200, kFrames - 20, kFrames - 1}) {
    Slot ground{frame_body, 0, 1, {}};
    SplitStack stack(&ground);
    stack.attach(memory.get(), kFrames + 16);
    for (int i = 0; i < kFrames; ++i) {
      Slot* slot = stack.top() + 1;
      fill(*slot, i);
      if (i == at)
        stack.push(slot);
      else
        stack.push_frame(slot);
    }
    EXPECT_EQ(keeps(stack), (Keeps{true, at != 200})) << at;
    stack.leave(&ground);
  }
}

TEST_F(SplitStackTest, WhatIsWantedIsMadePublicUntilItsOwnerComesForItself) {
  constexpr uint32_t kSome = 4;
  stack.lock();
  stack.shown_at_once.store(kSome);
  stack.unlock();
  for (uint32_t left = kSome; left > 0; --left) {
    push(1);
    EXPECT_EQ(stack.expose(), left > 1) << "asked again as often as it is wanted";
    EXPECT_EQ(stack.kept_private(), 0);
  }
  EXPECT_FALSE(stack.expose());
  stack.lock();
  stack.shown_at_once.store(kSome);
  stack.unlock();
  EXPECT_EQ(run(), 1);
  EXPECT_EQ(stack.shown_at_once.load(), kSome / 2) << "one that was public, and its owner's";
}

TEST_F(SplitStackTest, WaitingTasksAreCountedFromTheTail) {
  push_all(4);
  EXPECT_EQ(stack.waiting(1), 4);
  EXPECT_EQ(stack.count_pending(), 4);
  expose_all();
  EXPECT_EQ(take(1), 1);
  move_tail(2);
  EXPECT_EQ(stack.waiting(0), 3) << "the frame is no longer above the tail";
  EXPECT_EQ(stack.count_pending(), 3);
  EXPECT_EQ(take(3), 3); // from the middle
  stack.holes = true;
  EXPECT_EQ(stack.waiting(0), 3);
  EXPECT_EQ(stack.count_pending(), 2);
}

TEST_F(SplitStackTest, FramesDoNotCountAsPending) {
  push(1);
  push_frame();
  push(2);
  EXPECT_EQ(stack.waiting(2), 2);
  EXPECT_EQ(stack.count_pending(), 2);
}

TEST_F(SplitStackTest, AFrameThatEndsLeavesOrphansInItsPlace) {
  push(1);
  Slot* frame = push_frame();
  for (int i = 2; i <= 5; ++i)
    push(i);
  expose_all();
  EXPECT_EQ(take(4), 3);
  stack.close(frame);
  EXPECT_EQ(pending(), (Numbers{1, -2, -4, -5}));
  EXPECT_EQ(height(), 4) << "no hole is left";
  EXPECT_LE(split(), 2) << "what has moved is private";
  EXPECT_EQ(run(), 5);
  EXPECT_EQ(run(), 4);
  EXPECT_EQ(run(), 2);
  EXPECT_EQ(run(), 1);
  EXPECT_EQ(height(), 0);
}

TEST_F(SplitStackTest, OrphansAreTakenAsOrphans) {
  Slot* frame = push_frame();
  push(1);
  stack.close(frame);
  expose_all();
  EXPECT_EQ(take(1, Slot::kOrphan), 1);
}

TEST_F(SplitStackTest, AFrameThatEndsBelowTheTailLowersIt) {
  push(1);
  Slot* frame = push_frame();
  push(2);
  push(3);
  expose_all();
  EXPECT_EQ(take(1), 1);
  EXPECT_EQ(take(3), 2);
  move_tail(4);
  stack.holes = true;
  stack.close(frame);
  EXPECT_EQ(tail(), 2);
  EXPECT_FALSE(stack.holes);
  EXPECT_EQ(pending(), Numbers{-3}) << "a thief that starts at the tail finds it";
}

TEST_F(SplitStackTest, AFrameWithNothingAboveItJustGoes) {
  Slot* frame = push_frame();
  stack.close(frame);
  EXPECT_EQ(height(), 0);
}

TEST_F(SplitStackTest, CuttingTakesEverythingOffFromAFrameOn) {
  push(1);
  Slot* frame = push_frame();
  push(2);
  expose_all();
  EXPECT_EQ(take(1), 1);
  EXPECT_EQ(take(3), 2);
  move_tail(4);
  stack.cut(frame);
  EXPECT_EQ(height(), 1);
  EXPECT_LE(split(), 2);
  EXPECT_LE(tail(), 2);
  EXPECT_EQ(stack.count_pending(), 0);
  push(7);
  EXPECT_TRUE(stack.claim(stack.top())) << "new ones are private";
}

TEST_F(SplitStackTest, CompactingTakesOutWhatIsGone) {
  Slot* frame = push_frame();
  push_all(6); // slots 2 to 7
  stack.lock();
  stack.open_up_to(at(5)); // 1 to 3 are public
  stack.unlock();
  EXPECT_EQ(take(2), 1);
  EXPECT_EQ(take(4), 3);
  move_tail(3);
  stack.compact(frame);
  EXPECT_EQ(pending(), (Numbers{2, 4, 5, 6}));
  EXPECT_EQ(height(), 5);
  EXPECT_EQ(split(), 3) << "one of them is public, as before";
  EXPECT_EQ(tail(), 2);
  for (long expected : {6, 5, 4, 2})
    EXPECT_EQ(run(), expected);
}

TEST_F(SplitStackTest, CompactingKeepsWhatIsBelowTheFrame) {
  push_all(3);
  expose_all();
  EXPECT_EQ(take(2), 2);
  Slot* frame = push_frame();
  push(4);
  push(5);
  expose_all();
  EXPECT_EQ(take(5), 4);
  stack.compact(frame);
  EXPECT_EQ(pending(), (Numbers{1, 3, 5}));
  EXPECT_EQ(height(), 5);
  EXPECT_EQ(stack.top()->link.load(), uintptr_t{Slot::kPending});
}

TEST_F(SplitStackTest, CompactingKeepsOrphansApart) {
  Slot* outer = push_frame();
  Slot* frame = push_frame();
  push(1);
  stack.close(frame);
  push(2);
  stack.compact(outer);
  EXPECT_EQ(pending(), (Numbers{-1, 2}));
}

TEST_F(SplitStackTest, EmptyingVisitsTheOldestFirst) {
  push(1);
  Slot* frame = push_frame();
  for (int i = 2; i <= 4; ++i)
    push(i);
  expose_all();
  EXPECT_EQ(take(4), 3);
  Numbers visited;
  stack.empty(frame, [&](Slot& slot) { visited.push_back(number_of(slot)); });
  EXPECT_EQ(visited, (Numbers{2, 4}));
  EXPECT_EQ(stack.top(), frame);
  EXPECT_EQ(pending(), Numbers{1});
}

TEST_F(SplitStackTest, OrphansAreNobodysChildren) {
  Slot* outer = push_frame();
  EXPECT_FALSE(stack.has_child(outer));
  Slot* frame = push_frame();
  push(1);
  EXPECT_TRUE(stack.has_child(frame));
  stack.close(frame);
  EXPECT_FALSE(stack.has_child(outer));
  push(2);
  push(3);
  EXPECT_TRUE(stack.has_child(outer));
  expose_all();
  EXPECT_EQ(take(4), 3);
  EXPECT_TRUE(stack.has_child(outer)) << "below one that is gone";
  EXPECT_EQ(take(3), 2);
  EXPECT_FALSE(stack.has_child(outer));
}

TEST_F(SplitStackTest, AThiefGoesFromOnePendingTaskToTheNext) {
  push(1);
  push_frame();
  push(2);
  expose_all();
  Slot* end = stack.head.load();
  EXPECT_EQ(SplitStack::next_pending(at(0), end), at(1));
  EXPECT_EQ(SplitStack::next_pending(at(2), end), at(3));
  EXPECT_EQ(take(3), 2);
  EXPECT_EQ(SplitStack::next_pending(at(2), end), end);
}

TEST_F(SplitStackTest, TheFrameOfATaskAboveTheTailIsFoundOnceForAll) {
  push_all(2);
  Slot* frame = push_frame();
  push(3);
  push(4);
  expose_all();
  EXPECT_EQ(stack.frame_of(at(2)), at(0));
  EXPECT_EQ(stack.frame_of(at(4)), frame);
  EXPECT_EQ(take(1), 1);
  EXPECT_EQ(take(2), 2);
  move_tail(3, at(0));
  EXPECT_EQ(stack.frame_of(at(4)), frame) << "above the tail";
  EXPECT_EQ(take(4), 3);
  move_tail(5); // nobody has looked
  EXPECT_EQ(stack.frame_of(at(5)), frame);
  EXPECT_EQ(stack.frame_below_tail, frame);
  EXPECT_EQ(take(5), 4);
  stack.cut(frame);
  EXPECT_EQ(stack.frame_below_tail, nullptr) << "it is gone";
  push(5);
  EXPECT_EQ(stack.frame_of(at(3)), at(0));
}

TEST_F(SplitStackTest, OnlyOneHasTheLock) {
  ASSERT_TRUE(stack.try_lock());
  EXPECT_FALSE(stack.try_lock());
  stack.after_fork();
  ASSERT_TRUE(stack.try_lock());
  stack.unlock();
}

// ---- between threads ----

/// An owner creates tasks and runs some of them, some in turn with children; thieves take what they
/// find. Each task arrives once, complete.
class Race {
public:
  Race(int thieves, bool force) : force(force) {
    stack.attach(memory.get(), kRoom);
    for (int i = 0; i < thieves; ++i)
      threads.emplace_back([this] { steal(); });
    own();
    over.store(true);
    for (std::thread& thread : threads)
      thread.join();
    for (int i = 0; i < created; ++i)
      EXPECT_EQ(arrived[static_cast<std::size_t>(i)].load(), 1) << i;
    EXPECT_EQ(stack.count_pending(), 0);
    EXPECT_EQ(stack.top(), memory.get());
  }

private:
  static constexpr int kTasks = 60000;
  static constexpr std::size_t kRoom = 256;

  void arrive(const Slot& slot) {
    long number = number_of(slot);
    ASSERT_GE(number, 0) << "arguments are not intact";
    ASSERT_LT(number, kTasks);
    arrived[static_cast<std::size_t>(number)].fetch_add(1);
  }
  bool push() {
    if (created == kTasks || stack.last - stack.top() < 16)
      return false;
    Slot* slot = stack.top() + 1;
    fill(*slot, created++);
    stack.push(slot);
    if (created % 5 == 0)
      stack.expose();
    return true;
  }
  /// As task/frame.cc: the newest above `floor`.
  Slot* claim(const Slot* floor) {
    for (;;) {
      Slot* slot = stack.top();
      if (slot == floor)
        return nullptr;
      uintptr_t link = slot->link.load(std::memory_order_relaxed);
      if (Slot::is_pending(link) && stack.claim(slot, link))
        return slot;
      if (stack.claim_slowly(slot))
        return slot;
    }
  }
  /// As task/frame.cc: what lies above `floor`, the oldest first, as long as it is private.
  void run_in_order(Slot* floor, int depth) {
    Slot* slot = floor + 1;
    while (slot <= stack.top()) {
      Slot* frame = stack.top() + 1;
      frame->body = frame_body;
      stack.push_frame(frame);
      auto* body = stack.take_below_top(slot);
      if (!body) {
        stack.close(frame);
        break;
      }
      Slot task;
      task.body = body;
      std::memcpy(task.arguments, slot->arguments, Slot::kRoom);
      arrive(task);
      ++slot;
      go_on(frame, depth);
    }
    stack.end_taking(floor + 1, slot);
  }
  void run(Slot* frame, int depth) {
    arrive(*frame);
    go_on(frame, depth);
  }
  /// The rest of a task of the owner's, with children if it is one of some.
  void go_on(Slot* frame, int depth) {
    int children = depth < 4 && created % 3 == 0 ? created % 7 : 0;
    while (children-- > 0 && push()) {
    }
    if (children % 2 == 0) { // it waits for them
      if (created % 4 == 0)
        run_in_order(frame, depth + 1);
      while (Slot* child = claim(frame))
        run(child, depth + 1);
      stack.cut(frame);
    } else {
      stack.close(frame);
    }
  }
  void own() {
    while (created < 8)
      push();
    while (stolen.load() == 0) // they have a processor
      sched_yield();
    while (created < kTasks) {
      for (int burst = 1 + created % 11; burst > 0 && push(); --burst) {
      }
      for (int some = created % 6; some > 0; --some) {
        if (Slot* slot = claim(memory.get()))
          run(slot, 0);
      }
      if (created % 64 == 0)
        sched_yield(); // where thieves have no processor of their own
      if (stack.last - stack.top() < 32)
        stack.compact(memory.get());
      while (stack.last - stack.top() < 32) {
        Slot* slot = claim(memory.get());
        if (!slot)
          break;
        run(slot, 4);
      }
    }
    while (Slot* slot = claim(memory.get()))
      run(slot, 4);
  }
  void steal() {
    std::array<Slot, 4> to{};
    for (int look = 0; !over.load(); ++look) {
      bool forced = force && look % 4 == 0 && stack.keeps_pending(false);
      if (!forced && !stack.looks_public()) {
        sched_yield();
        continue;
      }
      if (look % 2 ? (stack.lock(), false) : !stack.try_lock())
        continue;
      if (forced)
        stack.force();
      Slot* end = stack.end();
      Slot* slot = SplitStack::next_pending(stack.begin(), end);
      std::size_t count = 0;
      while (count < to.size() && slot + count < end && SplitStack::take(slot + count, &to[count]))
        ++count;
      if (slot < end)
        stack.move_tail(slot + count, nullptr);
      stack.unlock();
      stolen.fetch_add(static_cast<int>(count));
      for (std::size_t i = 0; i < count; ++i)
        arrive(to[i]);
    }
  }

  const bool force;
  Slot ground{frame_body, 0, 1, {}};
  SplitStack stack{&ground};
  std::unique_ptr<Slot[]> memory{new Slot[kRoom]};
  std::vector<std::atomic<int>> arrived = std::vector<std::atomic<int>>(kTasks);
  int created = 0;
  std::atomic<int> stolen{0};
  std::atomic<bool> over{false};
  std::vector<std::thread> threads;
};

TEST(SplitStackRace, EachTaskArrivesOnceWhereAThiefTakesWhatIsPublic) { Race(1, false); }
TEST(SplitStackRace, EachTaskArrivesOnceWhereTwoTakeWhatIsPublic) { Race(2, false); }

TEST(SplitStackRace, EachTaskArrivesOnceWhereAThiefForces) {
  if (!sys::has_asymmetric_fence())
    GTEST_SKIP() << "the kernel refuses membarrier";
  Race(1, true);
}
TEST(SplitStackRace, EachTaskArrivesOnceWhereTwoForce) {
  if (!sys::has_asymmetric_fence())
    GTEST_SKIP() << "the kernel refuses membarrier";
  Race(2, true);
}

} // namespace
} // namespace xomp
