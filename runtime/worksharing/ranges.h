// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops whose chunks may be handed out in any order, and are so brief that the counter is what
// costs: each member has a range of chunks to itself, from which others steal
// (worksharing/README.md, "Ranges").
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>

#include "sys/assert.h"
#include "sys/cpu.h"
#include "sys/delay.h"

namespace xomp {

/// Chunks by their numbers.
struct ChunkNumbers {
  uint32_t begin, end;

  uint32_t count() const { return begin < end ? end - begin : 0; }
};

/// A member's, in one word, which says all that there is to say of it: a compare-and-swap that
/// finds an old value again is right to succeed.
class alignas(sys::kNoSharing) ChunkRange {
public:
  static constexpr uint64_t kMostChunks = uint64_t{1} << 31;

  /// The owner's next chunk. False: there is none.
  bool take(uint32_t& chunk) {
    // Relaxed, as all here: which chunks go where is all that the word says.
    ChunkNumbers own = numbers(word.fetch_add(1, std::memory_order_relaxed));
    chunk = own.begin;
    return own.begin < own.end;
  }
  /// By the owner, whose range is empty: of `chunks`, which it has from elsewhere, it executes the
  /// first.
  void refill(ChunkNumbers chunks) {
    XOMP_ASSERT(chunks.count() > 0);
    word.store(pack({chunks.begin + 1, chunks.end}), std::memory_order_relaxed);
  }
  /// By another: the later half, and the larger; empty if there is none.
  ChunkNumbers steal() {
    uint64_t before = word.load(std::memory_order_relaxed);
    for (;;) {
      ChunkNumbers there = numbers(before);
      uint32_t count = there.count();
      if (count == 0)
        return {0, 0};
      uint32_t middle = there.begin + count / 2;
      sys::delay();
      if (word.compare_exchange_weak(before, pack({there.begin, middle}),
                                     std::memory_order_relaxed))
        return {middle, there.end};
    }
  }
  /// Before a loop, by whoever makes it.
  void clear() { word.store(0, std::memory_order_relaxed); }

protected:
  static ChunkNumbers numbers(uint64_t word) {
    return {static_cast<uint32_t>(word), static_cast<uint32_t>(word >> 32)};
  }
  static uint64_t pack(ChunkNumbers chunks) { return chunks.begin | uint64_t{chunks.end} << 32; }

  std::atomic<uint64_t> word{0};
};

/// A chunk for member `id` of `count`, whose range is empty, from somebody else's; the rest of what
/// it has stolen becomes its range. False: it has found nothing.
inline bool steal_chunk(ChunkRange* ranges, int id, int count, uint32_t& chunk) {
  for (int i = 1; i < count; ++i) {
    ChunkNumbers stolen = ranges[(id + i) % count].steal();
    if (stolen.count() == 0)
      continue;
    chunk = stolen.begin;
    ranges[id].refill(stolen);
    return true;
  }
  return false;
}

} // namespace xomp
