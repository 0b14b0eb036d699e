// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ring of queue/mpsc_ring.h, alone and between threads. xomp-test: timeout=120
#include "queue/mpsc_ring.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

#include "let_others_run.h"

namespace xomp {
namespace {

struct Item {
  long value = 0;
};
using Ring = MpscRing<Item>;
struct Destroy {
  void operator()(Ring* ring) const { Ring::destroy(ring); }
};
using OwnedRing = std::unique_ptr<Ring, Destroy>;

constexpr auto anything = [](Item*) { return Verdict::kTake; };
constexpr auto nothing = [](Item*) { return Verdict::kKeep; };

class MpscRings : public testing::Test {
protected:
  MpscRings() {
    for (int i = 0; i < 16; ++i)
      items[i].value = i;
  }
  Item items[16];
  OwnedRing ring{Ring::create(4)};
};

TEST_F(MpscRings, GivesTheOldestFirstAndRefusesOneTooMany) {
  EXPECT_EQ(ring->take(anything, 16), nullptr);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 4; ++i)
      EXPECT_TRUE(ring->push(&items[i]));
    EXPECT_FALSE(ring->push(&items[4]));
    EXPECT_EQ(ring->size(), 4u);
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(ring->take(anything, 16), &items[i]);
    EXPECT_EQ(ring->take(anything, 16), nullptr);
    EXPECT_EQ(ring->size(), 0u);
  }
}

TEST_F(MpscRings, FindsWhatLiesBehindEntriesThatStay) {
  for (int i = 0; i < 4; ++i)
    ring->push(&items[i]);
  auto only_two = [](Item* item) { return item->value == 2 ? Verdict::kTake : Verdict::kKeep; };
  EXPECT_EQ(ring->take(only_two, 16), &items[2]);
  EXPECT_EQ(ring->take(only_two, 16), nullptr) << "it is gone";
  EXPECT_EQ(ring->take(anything, 16), &items[0]);
  EXPECT_EQ(ring->take(anything, 16), &items[1]);
  // The place in the middle is free when those before it are.
  EXPECT_EQ(ring->take(anything, 16), &items[3]);
  EXPECT_EQ(ring->size(), 0u);
  for (int i = 4; i < 8; ++i)
    EXPECT_TRUE(ring->push(&items[i]));
  EXPECT_FALSE(ring->push(&items[8]));
}

TEST_F(MpscRings, DropsOnTheWay) {
  for (int i = 0; i < 4; ++i)
    ring->push(&items[i]);
  auto last = [](Item* item) { return item->value == 3 ? Verdict::kTake : Verdict::kDrop; };
  EXPECT_EQ(ring->take(last, 16), &items[3]);
  EXPECT_EQ(ring->size(), 0u);
}

TEST_F(MpscRings, LooksOnlySoFar) {
  for (int i = 0; i < 4; ++i)
    ring->push(&items[i]);
  int asked = 0;
  auto counted = [&](Item*) { return ++asked, Verdict::kKeep; };
  EXPECT_EQ(ring->take(counted, 2), nullptr);
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(ring->take(nothing, 16), nullptr) << "once around, and no further";
}

// Several producers, whose items arrive once and in the order of each; some are left for a while
// and taken out of the middle.
TEST(MpscRing, HandsEveryItemOverOnceBetweenThreads) {
  constexpr int kProducers = 3, kEach = 20000;
  OwnedRing ring(Ring::create(8));
  std::unique_ptr<Item[]> all(new Item[kProducers * kEach]);
  auto produce = [&](int me) {
    for (int i = 0; i < kEach; ++i) {
      Item& item = all[static_cast<std::size_t>(me * kEach + i)];
      item.value = i + 1; // not atomic: the ring has to order it
      while (!ring->push(&item))
        let_others_run();
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < kProducers; ++i)
    threads.emplace_back(produce, i);
  std::vector<int> taken(kProducers * kEach), last(kProducers);
  unsigned looks = 0;
  for (int left = kProducers * kEach; left > 0;) {
    bool picky = ++looks % 3 != 0;
    auto every_other = [&](Item* item) {
      return picky && (item - all.get()) / kEach == 0 ? Verdict::kKeep : Verdict::kTake;
    };
    Item* item = ring->take(every_other, 4);
    if (!item) {
      let_others_run();
      continue;
    }
    auto number = static_cast<std::size_t>(item - all.get());
    auto producer = number / kEach;
    ASSERT_EQ(item->value, static_cast<long>(number % kEach) + 1);
    ASSERT_GT(item->value, last[producer]) << "in the producer's order";
    last[producer] = static_cast<int>(item->value);
    taken[number]++;
    --left;
  }
  for (std::thread& thread : threads)
    thread.join();
  for (int count : taken)
    ASSERT_EQ(count, 1);
}

} // namespace
} // namespace xomp
