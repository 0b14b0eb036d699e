// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks of tasks that must not be moved: what a worker keeps of them, and how they come back from
// those that run the tasks to those that create them.
#include "task/block.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>
#include <vector>

namespace xomp {

/// As a thread that is gone in the child of a fork may have left it.
void stop_in_the_middle(Depot& depot) {
  depot.lock.try_lock();
  depot.count(1);
}

namespace {

constexpr std::size_t kSizes[] = {FreeBlocks::kSize, FreeBlocks::kMedium};

class BlockTest : public testing::Test {
protected:
  BlockTest() { creator.depots = thief.depots = &depots; }
  void TearDown() override {
    creator.empty();
    thief.empty();
    depots.empty();
  }
  std::vector<void*> taken_by(FreeBlocks& worker, std::size_t bytes, int count) {
    std::vector<void*> blocks;
    for (int i = 0; i < count; ++i)
      blocks.push_back(worker.take(bytes));
    return blocks;
  }
  void give_all(FreeBlocks& worker, std::size_t bytes, const std::vector<void*>& blocks) {
    for (void* block : blocks)
      worker.give(block, bytes);
  }

  BlockDepots depots;
  FreeBlocks creator, thief;
};

TEST_F(BlockTest, HandsOutWhatItKeepsNewestFirst) {
  EXPECT_EQ(creator.take_kept(), nullptr);
  for (std::size_t size : kSizes) {
    std::vector<void*> blocks = taken_by(creator, size, 2);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(blocks[0]) % FreeBlocks::kAlign, 0u);
    EXPECT_NE(blocks[0], blocks[1]);
    give_all(creator, size, blocks);
    EXPECT_EQ(creator.take(size), blocks[1]);
    EXPECT_EQ(creator.take(size - 1), blocks[0]) << "any size of the class";
    give_all(creator, size, blocks);
  }
}

TEST_F(BlockTest, ComeBackFromAThiefThatHasTooMany) {
  for (std::size_t size : kSizes) {
    std::vector<void*> blocks = taken_by(creator, size, 1000);
    give_all(thief, size, blocks);
    std::set<void*> given(blocks.begin(), blocks.end());
    // All but what the thief keeps for itself.
    std::vector<void*> again = taken_by(creator, size, 1000 - static_cast<int>(FreeBlocks::kMost));
    for (void* block : again)
      EXPECT_EQ(given.erase(block), 1u) << "one of these, and no other has it";
    give_all(creator, size, again);
  }
}

TEST_F(BlockTest, AThiefKeepsSomeForItself) {
  std::vector<void*> blocks = taken_by(creator, FreeBlocks::kSize, 1000);
  give_all(thief, FreeBlocks::kSize, blocks);
  void* newest = thief.take_kept();
  EXPECT_EQ(newest, blocks.back());
  thief.give(newest, FreeBlocks::kSize);
}

TEST(DepotTest, KeepsNoMoreThanFourMegabytes) {
  for (std::size_t size : kSizes) {
    Depot depot(size);
    std::vector<Magazine> magazines(1000);
    std::size_t kept = 0;
    while (depot.put(magazines[kept]))
      ++kept;
    EXPECT_LE(kept * (Magazine::kRounds + 1) * size, std::size_t{4} << 20);
    EXPECT_GE((kept + 1) * (Magazine::kRounds + 1) * size, std::size_t{4} << 20);
    EXPECT_EQ(depot.take(), &magazines[kept - 1]);
    EXPECT_TRUE(depot.put(magazines[kept])) << "room again";
    for (std::size_t i = 0; i < kept; ++i)
      EXPECT_NE(depot.take(), nullptr);
    EXPECT_EQ(depot.take(), nullptr);
  }
}

TEST(DepotTest, IsEmptyInAChildOfForkWhateverStateItWasIn) {
  Depot depot(FreeBlocks::kSize);
  Magazine first, second;
  depot.put(first);
  stop_in_the_middle(depot);
  EXPECT_EQ(depot.take(), nullptr) << "nobody waits for whoever is at it";
  EXPECT_FALSE(depot.put(second));
  depot.reset();
  EXPECT_EQ(depot.take(), nullptr);
  EXPECT_TRUE(depot.put(second));
  EXPECT_EQ(depot.take(), &second);
}

/// All that the threads do is to take and put: a magazine is in one pair of hands at a time.
TEST(DepotStressTest, HandsAMagazineToOneThreadAtATime) {
  struct Marked : Magazine {
    std::atomic<bool> taken{false};
  };
  constexpr int kThreads = 4, kRounds = 400'000;
  Depot depot(FreeBlocks::kSize);
  Marked all[3];
  for (Marked& each : all)
    depot.put(each);
  std::atomic<int> twice{0};
  auto work = [&] {
    for (int i = 0; i < kRounds; ++i) {
      auto* mine = static_cast<Marked*>(depot.take());
      if (!mine)
        continue;
      twice += mine->taken.exchange(true, std::memory_order_relaxed);
      mine->taken.store(false, std::memory_order_relaxed);
      while (!depot.put(*mine)) {
      }
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back(work);
  for (std::thread& each : threads)
    each.join();
  EXPECT_EQ(twice.load(), 0);
  std::set<Magazine*> left;
  while (Magazine* each = depot.take())
    EXPECT_TRUE(left.insert(each).second);
  EXPECT_EQ(left.size(), 3u);
}

/// Where nothing that hands blocks over writes: `kFree` while nobody has the block.
std::atomic<uint64_t>& mark_of(void* block) {
  constexpr std::size_t kLast = FreeBlocks::kSize - sizeof(std::atomic<uint64_t>);
  static_assert(sizeof(Magazine) <= kLast);
  return *reinterpret_cast<std::atomic<uint64_t>*>(static_cast<char*>(block) + kLast);
}
constexpr uint64_t kFree = 0x66726565, kUsed = 0x75736564; // else: fresh memory

/// Several create and several run: a block is in one pair of hands at a time, also where two take
/// or put magazines at a time.
TEST(BlockStressTest, GoRoundBetweenCreatorsAndThieves) {
  constexpr int kTasks = 300'000, kRoom = 512, kCreators = 3, kThieves = 3;
  BlockDepots depots;
  std::atomic<void*> queue[kRoom] = {};
  std::atomic<int> made{0}, run{0}, twice{0};
  auto in_turns = [](int at) {
    if (at % 16 == 0)
      std::this_thread::yield();
  };
  auto create = [&](int at) {
    FreeBlocks mine;
    mine.depots = &depots;
    while (made.fetch_add(1, std::memory_order_relaxed) < kTasks) {
      void* block = mine.take(FreeBlocks::kSize);
      twice += mark_of(block).exchange(kUsed, std::memory_order_relaxed) == kUsed;
      void* none = nullptr;
      // Release: the thief has what was written.
      while (!queue[at].compare_exchange_strong(none, block, std::memory_order_release,
                                                std::memory_order_relaxed)) {
        none = nullptr;
        at = (at + 1) % kRoom;
        in_turns(at);
      }
    }
    mine.empty();
  };
  auto steal = [&](int at) {
    FreeBlocks mine;
    mine.depots = &depots;
    for (; run.load(std::memory_order_relaxed) < kTasks; at = (at + 1) % kRoom) {
      void* block = queue[at].exchange(nullptr, std::memory_order_acquire);
      if (!block) {
        in_turns(at);
        continue;
      }
      twice += mark_of(block).exchange(kFree, std::memory_order_relaxed) != kUsed;
      mine.give(block, FreeBlocks::kSize);
      run.fetch_add(1, std::memory_order_relaxed);
    }
    mine.empty();
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < kCreators; ++i)
    threads.emplace_back(create, i * 50);
  for (int i = 0; i < kThieves; ++i)
    threads.emplace_back(steal, i * 50);
  for (std::thread& each : threads)
    each.join();
  EXPECT_EQ(twice.load(), 0);
  depots.empty();
}

} // namespace
} // namespace xomp
