// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranges of chunks (worksharing/ranges.h) under the C++ memory model: each chunk goes to one
// member.
#include "checked_std.h"

#include "worksharing/ranges.h"

namespace {

using namespace xomp;

/// Naive: the owner takes its next chunk as if nobody stole.
struct Naive : ChunkRange {
  bool take(uint32_t& chunk) {
    uint64_t own = word.load(std::memory_order_relaxed);
    chunk = static_cast<uint32_t>(own);
    word.store(own + 1, std::memory_order_relaxed);
    return numbers(own).count() > 0;
  }
};

/// Three members take parts of a loop's chunks from a counter, and steal when it has none left.
template <class Range> struct Members : rl::test_suite<Members<Range>, 3> {
  static constexpr int kMembers = 3;
  static constexpr uint32_t kChunks = 8, kPart = 4;
  ChunkRange ranges[kMembers];
  std::atomic<uint32_t> next;
  int hits[kChunks] = {};

  void before() {
    next.store(0, std::memory_order_relaxed);
    for (ChunkRange& each : ranges)
      each.clear();
  }
  void after() {
    for (int hit : hits)
      RL_ASSERT(hit == 1);
  }
  void thread(unsigned index) {
    auto& own = static_cast<Range&>(ranges[index]);
    for (;;) {
      uint32_t chunk;
      if (own.take(chunk)) {
        hits[chunk]++;
        continue;
      }
      chunk = next.fetch_add(kPart, std::memory_order_relaxed);
      if (chunk < kChunks)
        own.refill({chunk, chunk + kPart});
      else if (!steal_chunk(ranges, static_cast<int>(index), kMembers, chunk))
        return;
      hits[chunk]++;
    }
  }
};

} // namespace

int main() {
  constexpr int kRuns = 100000;
  bool good = verified<Members<ChunkRange>>("ranges", kRuns);
  good &= refuted<Members<Naive>>("ranges whose owner looks and stores", kRuns, {});
  return good ? 0 : 1;
}
