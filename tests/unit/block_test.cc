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
namespace {

constexpr std::size_t kSizes[] = {FreeBlocks::kSize, FreeBlocks::kMedium};

class BlockTest : public testing::Test {
protected:
  BlockTest() { creator.depots = thief.depots = &depots; }
  void TearDown() override {
    creator.end();
    thief.end();
    depots.end();
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
  depot.forget();
  EXPECT_EQ(depot.take(), nullptr);
  EXPECT_TRUE(depot.put(second));
  EXPECT_EQ(depot.take(), &second);
}

/// One creates and others run: a block is in one pair of hands at a time, and the same few go
/// round.
TEST(BlockStressTest, GoRoundBetweenOneCreatorAndTwoThieves) {
  constexpr int kTasks = 200'000, kRoom = 256, kThieves = 2;
  BlockDepots depots;
  struct Task {
    std::atomic<int> holders; ///< 1 from its creation until it has run
  };
  // A queue with room for as many as may wait.
  std::atomic<void*> queue[kRoom] = {};
  std::set<void*> known;
  std::atomic<int> run{0}, shared{0};
  std::vector<std::thread> thieves;
  for (int i = 0; i < kThieves; ++i)
    thieves.emplace_back([&, i] {
      FreeBlocks mine;
      mine.depots = &depots;
      for (int at = i; run.load(std::memory_order_relaxed) < kTasks; at = (at + 1) % kRoom) {
        void* block = queue[at].exchange(nullptr, std::memory_order_acquire);
        if (!block) {
          std::this_thread::yield();
          continue;
        }
        shared += static_cast<Task*>(block)->holders.fetch_sub(1, std::memory_order_relaxed) != 1;
        mine.give(block, FreeBlocks::kSize);
        run.fetch_add(1, std::memory_order_relaxed);
      }
      mine.end();
    });
  FreeBlocks creator;
  creator.depots = &depots;
  for (int made = 0, at = 0; made < kTasks; at = (at + 1) % kRoom) {
    if (queue[at].load(std::memory_order_relaxed)) {
      std::this_thread::yield();
      continue;
    }
    void* block = creator.take(FreeBlocks::kSize);
    known.insert(block);
    ::new (block) Task{1};
    queue[at].store(block, std::memory_order_release);
    ++made;
  }
  for (std::thread& each : thieves)
    each.join();
  EXPECT_EQ(shared.load(), 0);
  // What waits, what each keeps, what is on its way. Some more, as nobody waits at the depot.
  EXPECT_LT(known.size(), 10'000u);
  creator.end();
  depots.end();
}

} // namespace
} // namespace xomp
