// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranges of a loop's iterations: members empty them and each other's.
#include "team/loop_steal.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "sys/memory.h"

namespace xomp {
namespace {

constexpr int kMembers = 4;

class LoopSteal : public testing::Test {
protected:
  LoopSteal() {
    for (int i = 0; i < kMembers; ++i) {
      members[i].id = i;
      members[i].count = kMembers;
    }
  }
  ~LoopSteal() override { sys::release(share.ranges); }

  bool divide(uint64_t trips, uint64_t chunk, bool guided = false) {
    share.trips = trips;
    share.chunk = chunk;
    return divide_among_members(share, kMembers, guided);
  }
  bool next(int id, bool guided = false) {
    return stealing_chunk(members[id], share, guided, begin, end);
  }

  Member members[kMembers];
  WorkShare share;
  uint64_t begin = 0, end = 0;
};

TEST_F(LoopSteal, AMemberBeginsWithItsOwnPart) {
  ASSERT_TRUE(divide(400, 10));
  for (int id = 0; id < kMembers; ++id) {
    ASSERT_TRUE(next(id));
    EXPECT_EQ(begin, 100u * id);
    EXPECT_EQ(end, begin + 10);
  }
}

TEST_F(LoopSteal, AThiefTakesTheUpperHalf) {
  ASSERT_TRUE(divide(400, 1));
  for (int i = 0; i < 100; ++i)
    ASSERT_TRUE(next(1));
  ASSERT_TRUE(next(1));
  EXPECT_EQ(begin, 250u); // of 200 .. 299
  ASSERT_TRUE(next(2));
  EXPECT_EQ(begin, 200u);
  ASSERT_TRUE(next(1));
  EXPECT_EQ(begin, 251u);
}

TEST_F(LoopSteal, OneMemberAloneRunsAll) {
  ASSERT_TRUE(divide(1003, 7));
  std::vector<int> hits(1003);
  while (next(3))
    for (uint64_t i = begin; i < end; ++i)
      ++hits[i];
  EXPECT_EQ(hits, std::vector<int>(1003, 1));
  EXPECT_FALSE(next(0));
  EXPECT_FALSE(next(3));
}

TEST_F(LoopSteal, WhoGetsTheLastIterationGetsNothingAfterIt) {
  for (bool guided : {false, true}) {
    for (int most = 0; most < kMembers; ++most) { // runs more than the others
      ASSERT_TRUE(divide(97, 2, guided));
      int owner = -1;
      for (int turn = 0; owner < 0; ++turn) {
        int id = turn % 3 ? most : turn % kMembers;
        ASSERT_TRUE(next(id, guided));
        if (end == 97)
          owner = id;
      }
      for (int id = 0; id < kMembers; ++id)
        EXPECT_FALSE(next(id, guided));
    }
  }
}

TEST_F(LoopSteal, GuidedChunksShrink) {
  ASSERT_TRUE(divide(800, 3, true));
  uint64_t before = UINT64_MAX, sum = 0;
  while (next(0, true) && end <= 200 + 3) {
    EXPECT_LE(end - begin, before);
    EXPECT_GE(end - begin, 3u);
    before = end - begin;
    sum += before;
  }
  EXPECT_GE(sum, 198u);
}

TEST_F(LoopSteal, FewChunksAreNotWorthIt) {
  EXPECT_FALSE(divide(15, 1));
  EXPECT_FALSE(divide(0, 1));
  EXPECT_TRUE(divide(16, 1));
}

TEST_F(LoopSteal, ReachesTheEndOf64Bits) {
  EXPECT_FALSE(divide(UINT64_MAX, 1));
  uint64_t chunk = uint64_t{1} << 58; // 64 chunks, the last one shorter
  ASSERT_TRUE(divide(UINT64_MAX, chunk));
  uint64_t sum = 0;
  while (next(2)) {
    EXPECT_LE(end - begin, chunk);
    EXPECT_LT(begin, end);
    sum += end - begin;
  }
  EXPECT_EQ(sum, UINT64_MAX);
  ASSERT_TRUE(divide(UINT64_MAX, 1, true));
  sum = 0;
  for (int i = 0; i < 2000 && next(1, true); ++i)
    sum += end - begin;
  EXPECT_EQ(sum, UINT64_MAX);
}

TEST_F(LoopSteal, MembersRunEachIterationOnce) {
  constexpr uint64_t kTrips = 20000;
  for (bool guided : {false, true}) {
    for (int round = 0; round < 50; ++round) {
      ASSERT_TRUE(divide(kTrips, 1, guided));
      auto hits = std::make_unique<std::atomic<int>[]>(kTrips);
      std::vector<std::thread> threads;
      for (int id = 0; id < kMembers; ++id)
        threads.emplace_back([&, id] {
          uint64_t first, past;
          while (stealing_chunk(members[id], share, guided, first, past))
            for (uint64_t i = first; i < past; ++i)
              hits[i].fetch_add(1, std::memory_order_relaxed);
        });
      for (std::thread& thread : threads)
        thread.join();
      for (uint64_t i = 0; i < kTrips; ++i)
        ASSERT_EQ(hits[i].load(std::memory_order_relaxed), 1);
    }
  }
}

} // namespace
} // namespace xomp
