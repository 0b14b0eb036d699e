// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A worker's heap: size classes, reuse, alignment, what it takes from the system.
#include "task/heap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "footprint.h"

namespace xomp {
namespace {

class HeapTest : public testing::Test {
protected:
  void TearDown() override { heap.end(); }
  Heap heap;
};

bool aligned(const void* memory) {
  return reinterpret_cast<uintptr_t>(memory) % sys::kCacheLine == 0;
}

TEST_F(HeapTest, RoundsUpToTheSmallestClassThatFits) {
  EXPECT_EQ(Heap::size_for(1), Heap::kSizes[0]);
  for (uint32_t size : Heap::kSizes) {
    EXPECT_EQ(size % sys::kCacheLine, 0u) << "blocks side by side share no line";
    EXPECT_EQ(Heap::size_for(size), size);
    EXPECT_EQ(Heap::size_for(size - 1), size);
  }
  for (uint32_t i = 0; i + 1 < Heap::kClasses; ++i)
    EXPECT_EQ(Heap::size_for(Heap::kSizes[i] + 1), Heap::kSizes[i + 1]);
}

TEST_F(HeapTest, RoundsLargeBlocksUpToWholeLines) {
  constexpr std::size_t kLine = sys::kCacheLine;
  EXPECT_EQ(Heap::size_for(2049), 2048 + kLine);
  EXPECT_EQ(Heap::size_for(2048 + kLine), 2048 + kLine);
  EXPECT_EQ(Heap::size_for(1000 * kLine), 1000 * kLine);
  EXPECT_EQ(Heap::size_for(1000 * kLine + 1), 1001 * kLine);
  std::size_t huge = (std::size_t{5} << 30) + 1;
  EXPECT_EQ(Heap::size_for(huge), huge + kLine - 1) << "more than 32 bits";
}

TEST_F(HeapTest, HasNothingToReuseAtFirst) {
  for (uint32_t size : Heap::kSizes)
    EXPECT_EQ(heap.reuse(size), nullptr);
  EXPECT_EQ(heap.reuse(4096), nullptr);
  EXPECT_EQ(footprint(heap), 0u);
}

TEST_F(HeapTest, ReusesAFreedBlockOfTheSameClassNewestFirst) {
  for (uint32_t size : Heap::kSizes) {
    void* first = heap.allocate(size);
    void* second = heap.allocate(size);
    heap.free(first, size);
    heap.free(second, size);
    EXPECT_EQ(heap.reuse(size), second);
    EXPECT_EQ(heap.allocate(size), first);
    EXPECT_EQ(heap.reuse(size), nullptr);
  }
}

TEST_F(HeapTest, ReusesWhatOtherThreadsFreed) {
  constexpr int kThreads = 3, kOfEach = 500;
  std::vector<std::pair<void*, std::size_t>> blocks;
  for (int i = 0; i < kThreads * kOfEach; ++i) {
    std::size_t size = Heap::kSizes[i % Heap::kClasses];
    blocks.emplace_back(heap.allocate(size), size);
  }
  std::size_t taken = footprint(heap);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = t; i < kThreads * kOfEach; i += kThreads)
        heap.free_remote(blocks[i].first, blocks[i].second);
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  std::set<void*> again;
  for (auto& [memory, size] : blocks) {
    void* block = heap.reuse(size);
    ASSERT_NE(block, nullptr);
    EXPECT_TRUE(again.insert(block).second) << "given out twice";
  }
  EXPECT_EQ(footprint(heap), taken);
  for (uint32_t size : Heap::kSizes)
    EXPECT_EQ(heap.reuse(size), nullptr);
}

TEST_F(HeapTest, TrimsWhatOtherThreadsFreed) {
  std::vector<void*> blocks;
  for (int i = 0; i < 1000; ++i)
    blocks.push_back(heap.allocate(256));
  std::size_t most = footprint(heap);
  for (void* block : blocks)
    heap.free_remote(block, 256);
  heap.trim();
  EXPECT_LT(footprint(heap), most / 4);
}

TEST_F(HeapTest, DoesNotGiveABlockOfOneClassToAnother) {
  heap.free(heap.allocate(256), 256);
  for (uint32_t size : Heap::kSizes) {
    EXPECT_TRUE(size == 256 || !heap.reuse(size));
  }
}

TEST_F(HeapTest, AllocatesAlignedBlocksThatDoNotOverlap) {
  struct Block {
    char* memory;
    uint32_t size;
  };
  std::vector<Block> blocks;
  std::mt19937 random(7);
  for (int i = 0; i < 3000; ++i) {
    uint32_t size = Heap::size_for(1 + random() % 3000);
    auto* memory = static_cast<char*>(heap.allocate(size));
    ASSERT_TRUE(aligned(memory));
    std::memset(memory, i, size);
    blocks.push_back({memory, size});
    if (random() % 3 == 0) {
      std::swap(blocks[random() % blocks.size()], blocks.back());
      heap.free(blocks.back().memory, blocks.back().size);
      blocks.pop_back();
    }
  }
  std::sort(blocks.begin(), blocks.end(),
            [](const Block& a, const Block& b) { return a.memory < b.memory; });
  for (std::size_t i = 0; i + 1 < blocks.size(); ++i)
    ASSERT_LE(blocks[i].memory + blocks[i].size, blocks[i + 1].memory);
  for (const Block& block : blocks)
    heap.free(block.memory, block.size);
}

TEST_F(HeapTest, ReturnsLargeBlocksAtOnce) {
  uint32_t size = Heap::size_for(100000);
  void* memory = heap.allocate(size);
  EXPECT_TRUE(aligned(memory));
  EXPECT_EQ(footprint(heap), size);
  heap.free(memory, size);
  EXPECT_EQ(footprint(heap), 0u);
  EXPECT_EQ(heap.reuse(size), nullptr);
}

TEST_F(HeapTest, StaysAsSmallAsTheMostBlocksInUse) {
  std::size_t largest = 0;
  for (int round = 0; round < 1000; ++round) {
    void* blocks[16];
    for (void*& block : blocks)
      block = heap.allocate(512);
    for (void* block : blocks)
      heap.free(block, 512);
    largest = std::max(largest, footprint(heap));
  }
  EXPECT_EQ(largest, 16384u);
}

TEST_F(HeapTest, TrimGivesBackAllButOneSlabWhenNothingIsInUse) {
  std::vector<std::pair<void*, uint32_t>> blocks;
  for (int i = 0; i < 2000; ++i) {
    uint32_t size = Heap::kSizes[static_cast<uint32_t>(i) % Heap::kClasses];
    blocks.emplace_back(heap.allocate(size), size);
  }
  std::size_t most = footprint(heap);
  while (blocks.size() > 1) {
    heap.free(blocks.back().first, blocks.back().second);
    blocks.pop_back();
  }
  heap.trim();
  EXPECT_EQ(footprint(heap), most) << "one block is in use";
  heap.free(blocks.back().first, blocks.back().second);
  heap.trim();
  std::size_t least = footprint(heap);
  EXPECT_LE(least, std::size_t{8192});
  EXPECT_GT(least, 0u);
  // It is as new: the slab that is left serves first, then others.
  for (int i = 0; i < 2000; ++i) {
    uint32_t size = Heap::kSizes[static_cast<uint32_t>(i) % Heap::kClasses];
    void* memory = heap.allocate(size);
    ASSERT_TRUE(aligned(memory));
    std::memset(memory, 1, size);
    if (i == 0) {
      EXPECT_EQ(footprint(heap), least);
    }
  }
  EXPECT_EQ(footprint(heap), most);
}

TEST_F(HeapTest, TrimLeavesLargeBlocksAlone) {
  void* large = heap.allocate(8192);
  heap.trim();
  EXPECT_EQ(heap.large(), 8192u);
  std::memset(large, 1, 8192);
  heap.free(large, 8192);
  EXPECT_EQ(footprint(heap), 0u);
}

} // namespace
} // namespace xomp
