// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops whose members have ranges of chunks: each chunk goes to one member, and what a busy member
// has to itself goes to others.
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "abi/llvm/schedule.h"
#include "worksharing/loop.h"
#include "worksharing/ranges.h"

namespace xomp {
namespace {

class ChunkRangesTest : public testing::Test {
protected:
  static constexpr int kMembers = 3;

  void begin(uint64_t trips, uint64_t chunk, bool divided = true) {
    share.trips = trips;
    share.chunk = chunk;
    share.dispense = Dispense::kDynamic;
    share.ranges =
        static_cast<ChunkRange*>(sys::allocate(kMembers * sizeof(ChunkRange), alignof(ChunkRange)));
    std::uninitialized_default_construct_n(share.ranges, kMembers);
    share.range_count = kMembers;
    share.divides = divided;
    share.divided.store(divided, std::memory_order_relaxed);
    for (int i = 0; i < kMembers; ++i) {
      members[i].id = i;
      members[i].count = kMembers;
      members[i].workshare = &share;
    }
    had.assign((trips - 1) / chunk + 1, 0);
  }
  /// The member's next chunk, noted.
  bool next(int member) {
    uint64_t begin, end;
    if (!next_chunk(members[member], begin, end))
      return false;
    EXPECT_EQ(begin % share.chunk, 0u);
    EXPECT_EQ(end, std::min(begin + share.chunk, share.trips));
    last = begin / share.chunk;
    ++had[last];
    EXPECT_FALSE(members[member].chunks.had_last);
    members[member].chunks.had_last = end == share.trips; // as the door does
    return true;
  }
  bool all_had() const {
    return std::all_of(had.begin(), had.end(), [](int times) { return times == 1; });
  }
  bool has_range(int member) const { return members[member].chunks.look_every == 0; }

  WorkShare share;
  std::unique_ptr<Member[]> members{new Member[kMembers]};
  std::vector<int> had; ///< how often each chunk was handed out
  uint64_t last = 0;
};

TEST_F(ChunkRangesTest, EachChunkIsHandedOutOnce) {
  std::minstd_rand random;
  begin(100003, 7);
  for (bool more = true; more;) {
    more = false;
    for (int i = 0; i < 20; ++i)
      more |= next(static_cast<int>(random() % kMembers));
  }
  for (int i = 0; i < kMembers; ++i) {
    EXPECT_FALSE(next(i));
    EXPECT_TRUE(has_range(i));
  }
  EXPECT_TRUE(all_had());
}

TEST_F(ChunkRangesTest, TheRangeOfOneThatIsBusyGoesToOthers) {
  begin(100000, 1);
  while (!has_range(0))
    ASSERT_TRUE(next(0));
  ASSERT_TRUE(next(0)); // the first of a sixth of all
  while (next(1) || next(2))
    ;
  EXPECT_TRUE(all_had()) << "and the last one has what was left of its range";
  EXPECT_FALSE(next(0));
}

TEST_F(ChunkRangesTest, OneThatComesLateTakesHalfOfWhatAnotherHas) {
  begin(100000, 1);
  while (!has_range(0))
    ASSERT_TRUE(next(0));
  ASSERT_TRUE(next(0));
  uint64_t own = last, past = share.next.exchange(share.trips); // the counter has no more
  ASSERT_TRUE(next(1));
  EXPECT_EQ(last, own + 1 + (past - own - 1) / 2);
  uint64_t stolen = last;
  ASSERT_TRUE(next(1));
  EXPECT_EQ(last, stolen + 1);
  ASSERT_TRUE(next(0));
  EXPECT_EQ(last, own + 1);
  while (next(0) || next(1))
    ;
  for (uint64_t chunk = 0; chunk < past; ++chunk)
    ASSERT_EQ(had[chunk], 1) << chunk;
}

TEST_F(ChunkRangesTest, OtherwiseAllAreInOrder) {
  begin(20000, 1, false);
  for (uint64_t chunk = 0; chunk < 20000; ++chunk) {
    ASSERT_TRUE(next(static_cast<int>(chunk % kMembers)));
    ASSERT_EQ(last, chunk);
  }
  EXPECT_FALSE(next(0));
}

TEST_F(ChunkRangesTest, ClangSaysThatALoopMayBeDivided) {
  constexpr int32_t kDynamic = 35, kMonotonic = 1 << 29, kNonmonotonic = 1 << 30;
  EXPECT_TRUE(llvm::NamedSchedule(kDynamic | kNonmonotonic).nonmonotonic);
  EXPECT_FALSE(llvm::NamedSchedule(kDynamic | kMonotonic).nonmonotonic);
  EXPECT_FALSE(llvm::NamedSchedule(kDynamic).nonmonotonic);
}

} // namespace
} // namespace xomp
