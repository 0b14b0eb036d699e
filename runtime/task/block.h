// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory for tasks whose variables must not be moved: the program constructs them where they lie,
// before the task exists, and only a pointer to them goes on the creator's stack. A worker keeps
// the small blocks that it has done with for the tasks that it creates, whoever allocated them:
// every list is touched by its own worker only, and what it has too many of goes to the team's
// depot (task/depot.h).
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

#include "sys/assert.h"
#include "sys/cpu.h"
#include "sys/memory.h"
#include "task/depot.h"

namespace xomp {

struct BlockDepots;

class FreeBlocks {
public:
  BlockDepots* depots = nullptr; ///< the team's
  static constexpr std::size_t kAlign = sys::kCacheLine;
  static constexpr std::size_t kSize = 256, kMedium = 1024; ///< of the blocks that are kept
  /// As many ordinary tasks of one creator wait as may.
  static constexpr uint32_t kMost = 256, kMostMedium = 128;

  /// None is kept from here on, nor are those that are, until `open`: so what asks whether there
  /// is one does without another question. False: so it is already.
  bool close() { return small.close(); }
  void open() { small.open(); }
  /// Of `kSize` bytes; null: none is kept here.
  void* take_kept() { return small.take(); }
  void* take(std::size_t bytes) {
    bool is_small = bytes <= kSize, is_medium = bytes <= kMedium && !is_small;
    if (void* block = is_small ? small.take() : is_medium ? medium.take() : nullptr)
      return block;
    return take_slowly(bytes);
  }
  /// `bytes`: as for `take`, of any worker.
  void give(void* memory, std::size_t bytes) {
    if (bytes <= kSize ? small.give(memory) : bytes <= kMedium && medium.give(memory)) [[likely]]
      return;
    give_slowly(memory, bytes);
  }
  /// So many bytes of large blocks have been taken for the worker's tasks, or given back by any
  /// worker. Relaxed: a bound on memory that a few bytes more do not break.
  void count_large(std::size_t bytes) { large_out.fetch_add(bytes, std::memory_order_relaxed); }
  void uncount_large(std::size_t bytes) { large_out.fetch_sub(bytes, std::memory_order_relaxed); }
  std::size_t large() const { return large_out.load(std::memory_order_relaxed); }
  /// Returns what is kept to the system.
  void empty() {
    while (void* block = small.take())
      sys::release(block);
    while (void* block = medium.take())
      sys::release(block);
  }

private:
  /// Not a list through the blocks: to take one is not to wait for what lies in the one before it.
  template <uint32_t kMost> class Kept {
  public:
    void* take() {
      if (count == 0)
        return nullptr;
      void* block = blocks[--count];
      if (!block)
        __builtin_unreachable(); // so that callers are compiled without a test for null
      return block;
    }
    /// False: there are enough.
    bool give(void* block) {
      if (count == most) [[unlikely]]
        return false;
      blocks[count++] = block;
      return true;
    }
    bool close() {
      if (most == 0)
        return false;
      hidden = std::exchange(count, 0);
      most = 0;
      return true;
    }
    void open() {
      XOMP_ASSERT(most == 0 && count == 0);
      count = std::exchange(hidden, 0);
      most = kMost;
    }
    /// From the depot, where it is empty; null: it still is.
    void* refill(Depot& depot) {
      XOMP_ASSERT(count == 0);
      if (most == 0)
        return nullptr;
      Magazine* magazine = depot.take();
      if (!magazine)
        return nullptr;
      std::memcpy(blocks, magazine->rounds, sizeof magazine->rounds);
      count = Magazine::kRounds;
      return magazine;
    }
    /// To the depot, where it is full. False: it still is.
    bool unload(Depot& depot) {
      XOMP_ASSERT(count == most);
      if (most == 0 || !depot.has_room())
        return false;
      uint32_t rest = count - Magazine::kRounds - 1;
      auto& magazine = *::new (blocks[count - 1]) Magazine;
      std::memcpy(magazine.rounds, blocks + rest, sizeof magazine.rounds);
      if (!depot.put(magazine))
        return false;
      count = rest;
      return true;
    }

  private:
    static_assert(kMost > Magazine::kRounds);

    uint32_t count = 0, most = kMost;
    void* blocks[kMost] = {};
    uint32_t hidden = 0; ///< while it is closed: how many it has
  };

  void* take_slowly(std::size_t bytes);
  void give_slowly(void* memory, std::size_t bytes);

  Kept<kMost> small;
  Kept<kMostMedium> medium;
  std::atomic<std::size_t> large_out{0};
};
static_assert(sizeof(Magazine) <= FreeBlocks::kSize);

/// A team's, in a line of its own each.
struct BlockDepots {
  alignas(sys::kNoSharing) Depot small{FreeBlocks::kSize};
  alignas(sys::kNoSharing) Depot medium{FreeBlocks::kMedium};

  /// As `Depot::empty`.
  void empty() {
    small.empty();
    medium.empty();
  }
  void reset() {
    small.reset();
    medium.reset();
  }
};

} // namespace xomp
