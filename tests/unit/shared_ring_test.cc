// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ring with one producer and many consumers: order, holes, taking back, and all of it between
// threads. xomp-test: timeout=120
#include "queue/shared_ring.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "let_others_run.h"

namespace xomp {
namespace {

using Ring = SharedRing<int>;

class SharedRingTest : public testing::Test {
protected:
  void put(int count) {
    for (int i = 0; i < count; ++i)
      ring->push(&items[i]);
  }
  /// What a consumer finds, front to back; 0 for a hole.
  std::vector<int> contents() {
    std::vector<int> found;
    for (uint32_t at = ring->begin(); at != ring->end(); ++at)
      found.push_back(ring->at(at) ? *ring->at(at) : 0);
    return found;
  }

  int items[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  std::unique_ptr<Ring, void (*)(Ring*)> ring{Ring::create(8), Ring::destroy};
};

TEST_F(SharedRingTest, ItemsComeInOrder) {
  EXPECT_TRUE(ring->looks_empty());
  put(3);
  EXPECT_FALSE(ring->looks_empty());
  EXPECT_EQ(contents(), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(ring->used(), 3u);
}

TEST_F(SharedRingTest, RoomComesBackFromTheFrontOnly) {
  put(4);
  ring->wait_for_lock();
  ring->remove(ring->begin() + 1);
  ring->trim();
  EXPECT_EQ(ring->used(), 4u) << "a hole in the middle is no room";
  EXPECT_EQ(contents(), (std::vector<int>{1, 0, 3, 4}));
  ring->remove(ring->begin());
  ring->trim();
  EXPECT_EQ(ring->used(), 2u) << "both";
  EXPECT_EQ(contents(), (std::vector<int>{3, 4}));
  ring->unlock();
}

TEST_F(SharedRingTest, TheLastItemIsTakenBackWithTheHolesBehindIt) {
  put(4);
  EXPECT_FALSE(ring->retract(&items[1]));
  ring->wait_for_lock();
  ring->remove(ring->end() - 1);
  ring->unlock();
  EXPECT_TRUE(ring->retract(&items[2]));
  EXPECT_EQ(contents(), (std::vector<int>{1, 2}));
  ring->push(&items[7]);
  EXPECT_EQ(contents(), (std::vector<int>{1, 2, 8}));
}

TEST_F(SharedRingTest, TheKeyInFrontIsToldWithoutTheLock) {
  ASSERT_TRUE(ring->try_lock());
  EXPECT_EQ(ring->front_key(-1), -1) << "empty";
  ring->push(&items[0], 10);
  ring->push(&items[1], 11);
  EXPECT_EQ(ring->front_key(-1), 10);
  EXPECT_EQ(ring->key(ring->begin() + 1), 11);
  ring->remove(ring->begin());
  ring->trim();
  EXPECT_EQ(ring->front_key(-1), 11);
  ring->remove(ring->begin());
  ring->trim();
  EXPECT_EQ(ring->front_key(-1), -1);
}

TEST_F(SharedRingTest, NothingIsTakenBackWhileSomebodyLooks) {
  put(1);
  ASSERT_TRUE(ring->try_lock());
  EXPECT_FALSE(ring->try_lock());
  EXPECT_FALSE(ring->retract(&items[0]));
  ring->unlock();
  EXPECT_TRUE(ring->retract(&items[0]));
  EXPECT_TRUE(ring->looks_empty());
}

TEST_F(SharedRingTest, StaleItemsAreTakenBackFromTheEndUpToTheFirstThatIsNot) {
  put(6);
  ring->wait_for_lock();
  ring->remove(ring->end() - 2);
  ring->unlock();
  ring->retract_stale([&](const int* item) { return *item == 6 || *item == 4 || *item == 2; });
  EXPECT_EQ(contents(), (std::vector<int>{1, 2, 3}));
  ring->retract_stale([](const int*) { return true; });
  EXPECT_TRUE(ring->looks_empty());
}

TEST_F(SharedRingTest, WhatIsStillNeededIsMovedTogetherInItsOrder) {
  for (int i = 0; i < 7; ++i)
    ring->push(&items[i], items[i]);
  ring->wait_for_lock();
  ring->remove(ring->begin() + 1);
  ring->remove(ring->begin());
  ring->trim();
  ring->remove(ring->begin() + 2);
  ring->unlock();
  ring->close_up([](const int* item) { return *item == 4 || *item == 7; });
  EXPECT_EQ(contents(), (std::vector<int>{3, 6}));
  EXPECT_EQ(ring->used(), 2U);
  EXPECT_EQ(ring->key(ring->begin()), 3);
  ring->push(&items[7], 8);
  EXPECT_EQ(contents(), (std::vector<int>{3, 6, 8}));
  ring->close_up([](const int*) { return true; });
  EXPECT_TRUE(ring->looks_empty());
}

TEST(SharedRing, AllAreLookedAtOnlyWhereItMayMakeRoom) {
  constexpr int kMany = 64, kRefused = kMany / 16;
  std::vector<int> items(kMany + 1);
  std::unique_ptr<Ring, void (*)(Ring*)> ring{Ring::create(kMany), Ring::destroy};
  for (int i = 0; i < kMany; ++i)
    ring->push(&items[i]);
  auto looks = [&] {
    int looked_at = 0;
    ring->close_up([&](const int*) { return ++looked_at < 0; });
    return looked_at;
  };
  EXPECT_EQ(looks(), kMany) << "many were put";
  for (int i = 1; i < kRefused; ++i)
    EXPECT_EQ(looks(), 0);
  EXPECT_EQ(looks(), kMany) << "many were refused";
  EXPECT_EQ(looks(), 0);
  EXPECT_FALSE(ring->retract(&items[kMany / 2]));
  EXPECT_EQ(looks(), kMany) << "one is left behind";
  EXPECT_EQ(looks(), 0);
  ring->wait_for_lock();
  ring->remove(ring->begin() + 1);
  ring->unlock();
  EXPECT_EQ(looks(), kMany - 1) << "there was a hole";
  ring->wait_for_lock();
  ring->remove(ring->begin());
  ring->trim();
  ring->unlock();
  EXPECT_EQ(looks(), 0) << "what goes in front is none";
}

TEST(SharedRing, EveryItemIsTakenOnceWhateverTheThreadsDo) {
  constexpr int kItems = 200000, kConsumers = 3;
  struct Item {
    std::atomic<int> taken{0};
    int value = 0; // written before it is put, read by who takes it
  };
  std::vector<Item> items(kItems);
  using ItemRing = SharedRing<Item>;
  ItemRing* ring = ItemRing::create(64);
  std::atomic<bool> over{false};
  std::atomic<int> wrong{0};
  auto consume = [&](int self) {
    for (int round = 0; !over.load() || !ring->looks_empty(); ++round) {
      if (!ring->try_lock()) {
        let_others_run();
        continue;
      }
      uint32_t at = ring->begin();
      if (round % 3 == self && ring->end() - at > 1)
        ++at; // not always the oldest
      if (at != ring->end()) {
        if (Item* item = ring->at(at)) {
          wrong += item->value != 7;
          item->taken++;
          ring->remove(at);
        }
      }
      ring->trim();
      ring->unlock();
    }
  };
  std::vector<std::thread> consumers;
  for (int i = 0; i < kConsumers; ++i)
    consumers.emplace_back(consume, i);
  for (int i = 0; i < kItems; ++i) {
    while (ring->used() == ring->capacity())
      let_others_run();
    items[i].value = 7;
    ring->push(&items[i]);
    if (i % 2 && ring->retract(&items[i]))
      items[i].taken++;
  }
  over = true;
  for (auto& each : consumers)
    each.join();
  EXPECT_EQ(wrong.load(), 0);
  for (const Item& each : items)
    ASSERT_EQ(each.taken.load(), 1);
  ItemRing::destroy(ring);
}

} // namespace
} // namespace xomp
