// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The deque of queue/locked_deque.h, alone and between threads. xomp-test: timeout=120
#include "queue/locked_deque.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace xomp {
namespace {

struct Item {
  long value = 0;
  std::atomic<int> taken{0};
};
using Deque = LockedDeque<Item>;

constexpr auto anything = [](Item*) { return Verdict::kTake; };
constexpr uint32_t kNoLimit = UINT32_MAX, kMost = 32;

class LockedDeques : public testing::Test {
protected:
  void fill(int count) {
    for (int i = 0; i < count; ++i) {
      items[i].value = i;
      ASSERT_TRUE(deque.push(&items[i], kNoLimit));
    }
  }
  /// What is left, oldest first.
  std::vector<long> rest() {
    std::vector<long> values;
    while (Item* item = deque.take_oldest(anything, kMost))
      values.push_back(item->value);
    return values;
  }
  using Values = std::vector<long>;
  Item items[200];
  Deque deque;
};

TEST_F(LockedDeques, GivesTheNewestAtOneEndAndTheOldestAtTheOther) {
  fill(4);
  EXPECT_EQ(deque.take_newest(anything, kMost), &items[3]);
  EXPECT_EQ(deque.take_oldest(anything, kMost), &items[0]);
  EXPECT_EQ(deque.take_newest(anything, kMost), &items[2]);
  EXPECT_EQ(deque.take_newest(anything, kMost), &items[1]);
  EXPECT_EQ(deque.take_newest(anything, kMost), nullptr);
  EXPECT_EQ(deque.take_oldest(anything, kMost), nullptr);
  EXPECT_EQ(deque.size(), 0u);
}

TEST_F(LockedDeques, RefusesAtTheLimitOfThePush) {
  EXPECT_TRUE(deque.push(&items[0], 2));
  EXPECT_TRUE(deque.push(&items[1], 2));
  EXPECT_FALSE(deque.push(&items[2], 2));
  EXPECT_TRUE(deque.push(&items[2], 3));
}

TEST_F(LockedDeques, KeepsTheOrderWhenItGrowsWithItsEntriesWrappedAround) {
  fill(20);
  for (int i = 0; i < 15; ++i)
    EXPECT_EQ(deque.take_oldest(anything, kMost), &items[i]);
  for (int i = 20; i < 120; ++i) {
    items[i].value = i;
    deque.push(&items[i], kNoLimit);
  }
  for (int i = 15; i < 120; ++i)
    ASSERT_EQ(deque.take_oldest(anything, kMost), &items[i]);
}

TEST_F(LockedDeques, FindsWhatLiesBehindEntriesThatStay) {
  fill(6);
  auto only = [](long value) {
    return [value](Item* item) { return item->value == value ? Verdict::kTake : Verdict::kKeep; };
  };
  EXPECT_EQ(deque.take_newest(only(2), kMost), &items[2]);
  EXPECT_EQ(deque.take_oldest(only(3), kMost), &items[3]);
  EXPECT_EQ(deque.take_newest(only(9), kMost), nullptr);
  EXPECT_EQ(rest(), (Values{0, 1, 4, 5}));
}

TEST_F(LockedDeques, DropsOnTheWay) {
  fill(6);
  auto odd = [](Item* item) {
    return item->value == 0 ? Verdict::kTake : item->value % 2 ? Verdict::kKeep : Verdict::kDrop;
  };
  EXPECT_EQ(deque.take_newest(odd, kMost), &items[0]);
  EXPECT_EQ(rest(), (Values{1, 3, 5}));
  fill(6);
  auto last = [](Item* item) {
    return item->value == 5 ? Verdict::kTake : item->value % 2 ? Verdict::kKeep : Verdict::kDrop;
  };
  EXPECT_EQ(deque.take_oldest(last, kMost), &items[5]);
  EXPECT_EQ(rest(), (Values{1, 3}));
}

TEST_F(LockedDeques, LooksOnlySoFar) {
  fill(40);
  int asked = 0;
  auto never = [&](Item*) { return ++asked, Verdict::kKeep; };
  EXPECT_EQ(deque.take_newest(never, 16), nullptr);
  EXPECT_EQ(asked, 16);
  EXPECT_EQ(deque.take_oldest(never, 16), nullptr);
  EXPECT_EQ(asked, 2 * 16);
  EXPECT_EQ(deque.size(), 40u);
}

TEST_F(LockedDeques, RetractsTheNewestOnly) {
  fill(3);
  EXPECT_FALSE(deque.retract(&items[1]));
  EXPECT_TRUE(deque.retract(&items[2]));
  EXPECT_FALSE(deque.retract(&items[2]));
  EXPECT_EQ(rest(), (Values{0, 1}));
  EXPECT_FALSE(deque.retract(&items[0]));
}

TEST_F(LockedDeques, GivesAChunkOfTheOldestWithTheFirstThatIsAllowed) {
  fill(8);
  auto from_two = [](Item* item) { return item->value < 2 ? Verdict::kKeep : Verdict::kTake; };
  Item* more[3];
  uint32_t moved;
  EXPECT_EQ(deque.take_oldest(from_two, kMost, more, 3, moved), &items[2]);
  ASSERT_EQ(moved, 3u);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(more[i], &items[3 + i]);
  EXPECT_EQ(deque.size(), 4u);
  EXPECT_EQ(rest(), (Values{0, 1, 6, 7}));
  fill(2);
  EXPECT_EQ(deque.take_oldest(anything, kMost, more, 3, moved), &items[0]);
  EXPECT_EQ(moved, 1u) << "no more than there are";
  EXPECT_EQ(deque.take_oldest(anything, kMost, more, 3, moved), nullptr);
  EXPECT_EQ(moved, 0u);
}

TEST_F(LockedDeques, HandEveryItemOverOnceBetweenThreads) {
  constexpr int kThreads = 4, kEach = 20000;
  std::unique_ptr<Item[]> all(new Item[kThreads * kEach]);
  std::atomic<int> left{kThreads * kEach};
  auto work = [&](int me) {
    int next = 0;
    while (left.load() > 0) {
      if (next < kEach) {
        Item& item = all[static_cast<std::size_t>(me * kEach + next)];
        item.value = 1; // not atomic: the lock has to order it
        if (deque.push(&item, 64))
          ++next;
      }
      Item* more[3];
      uint32_t moved = 0;
      Item* item = me % 2 ? deque.take_newest(anything, kMost)
                          : deque.take_oldest(anything, kMost, more, 3, moved);
      if (!item)
        sched_yield();
      for (uint32_t i = 0; item && i <= moved; ++i) {
        Item* got = i == moved ? item : more[i];
        EXPECT_EQ(got->value, 1);
        got->taken++;
        left--;
      }
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back(work, i);
  for (std::thread& thread : threads)
    thread.join();
  for (int i = 0; i < kThreads * kEach; ++i)
    ASSERT_EQ(all[static_cast<std::size_t>(i)].taken, 1);
}

TEST_F(LockedDeques, IsWholeInAChildOfForkThoughAThreadWasInTheMiddle) {
  fill(5);
  // The thread that has it in its hands is gone: what it has taken out is lost, and no more.
  std::thread gone;
  std::atomic<bool> inside{false}, leave{false};
  gone = std::thread([&] {
    deque.take_oldest(
        [&](Item* item) {
          if (item->value < 2)
            return item->value == 0 ? Verdict::kDrop : Verdict::kKeep;
          inside.store(true, std::memory_order_release);
          while (!leave.load(std::memory_order_acquire))
            sched_yield();
          return Verdict::kKeep;
        },
        kMost);
  });
  while (!inside.load(std::memory_order_acquire))
    sched_yield();
  pid_t child = fork();
  if (child == 0) {
    deque.after_fork();
    _exit(rest() == Values{1, 2, 3, 4} ? 0 : 1);
  }
  leave.store(true, std::memory_order_release);
  gone.join();
  int status = 1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(rest(), (Values{1, 2, 3, 4}));
}

} // namespace
} // namespace xomp
