// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ring of queue/spsc_ring.h, alone and between two threads. xomp-test: timeout=120
#include "queue/spsc_ring.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

#include "let_others_run.h"

namespace xomp {
namespace {

struct Item {
  long value;
};
using Ring = SpscRing<Item>;
struct Destroy {
  void operator()(Ring* ring) const { Ring::destroy(ring); }
};
using OwnedRing = std::unique_ptr<Ring, Destroy>;

TEST(SpscRing, IsEmptyWhenNew) {
  OwnedRing ring(Ring::create(4));
  EXPECT_EQ(ring->front(), nullptr);
  EXPECT_EQ(ring->next_slot()->load(), nullptr);
}

TEST(SpscRing, TakesAsManyItemsAsItHasSlotsAndRefusesOneMore) {
  for (uint32_t capacity : {1u, 2u, 8u, 64u}) {
    OwnedRing ring(Ring::create(capacity));
    std::vector<Item> items(capacity + 1);
    for (uint32_t i = 0; i < capacity; ++i)
      EXPECT_TRUE(ring->push(&items[i]));
    EXPECT_NE(ring->next_slot()->load(), nullptr);
    EXPECT_FALSE(ring->push(&items[capacity]));
    for (uint32_t i = 0; i < capacity; ++i) {
      EXPECT_EQ(ring->front(), &items[i]);
      ring->pop();
    }
    EXPECT_EQ(ring->front(), nullptr);
  }
}

TEST(SpscRing, FrontLeavesTheItemInItsSlot) {
  OwnedRing ring(Ring::create(1));
  Item first{1}, second{2};
  ASSERT_TRUE(ring->push(&first));
  EXPECT_EQ(ring->front(), &first);
  EXPECT_EQ(ring->front(), &first);
  EXPECT_FALSE(ring->push(&second));
  ring->pop();
  EXPECT_TRUE(ring->push(&second));
  EXPECT_EQ(ring->front(), &second);
}

TEST(SpscRing, KeepsTheOrderAtEveryOffsetAndFillLevel) {
  constexpr uint32_t kCapacity = 8;
  OwnedRing ring(Ring::create(kCapacity));
  std::vector<Item> items(kCapacity);
  long pushed = 0, popped = 0;
  for (int round = 0; round < 100; ++round) {
    for (uint32_t level = 1; level <= kCapacity; ++level) {
      for (uint32_t i = 0; i < level; ++i, ++pushed) {
        items[static_cast<uint32_t>(pushed) % kCapacity].value = pushed;
        ASSERT_TRUE(ring->push(&items[static_cast<uint32_t>(pushed) % kCapacity]));
      }
      for (uint32_t i = 0; i < level; ++i, ++popped) {
        ASSERT_NE(ring->front(), nullptr);
        ASSERT_EQ(ring->front()->value, popped);
        ring->pop();
      }
      ASSERT_EQ(ring->front(), nullptr);
    }
  }
}

// The items' contents are not atomic: the thread sanitizer sees whether the slots order them, in
// both directions, because the producer uses an item again once its slot's successor is free.
TEST(SpscRing, HandsContentsFromThreadToThread) {
  constexpr long kItems = 50000;
  for (uint32_t capacity : {1u, 4u, 64u}) {
    OwnedRing ring(Ring::create(capacity));
    std::vector<Item> items(capacity);
    std::thread producer([&] {
      for (long i = 0; i < kItems; ++i) {
        while (ring->next_slot()->load(std::memory_order_acquire))
          let_others_run();
        Item& item = items[static_cast<std::size_t>(i) % capacity];
        item.value = i;
        ASSERT_TRUE(ring->push(&item));
      }
    });
    long wrong = 0;
    for (long i = 0; i < kItems; ++i) {
      Item* item;
      while (!(item = ring->front()))
        let_others_run();
      wrong += item->value != i;
      ring->pop();
    }
    producer.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(ring->front(), nullptr);
  }
}

} // namespace
} // namespace xomp
