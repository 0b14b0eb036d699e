// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory for tasks whose variables must not be moved: the program constructs them where they lie,
// before the task exists, and only a pointer to them goes on the creator's stack. A worker keeps
// the small blocks that it has done with for the tasks that it creates, whoever allocated them:
// every list is touched by its own worker only.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "sys/cpu.h"
#include "sys/memory.h"

namespace xomp {

class FreeBlocks {
public:
  static constexpr std::size_t kAlign = sys::kCacheLine;
  static constexpr std::size_t kSize = 256, kMedium = 1024; ///< of the blocks that are kept
  /// As many tasks of one creator wait on a small team, with dependences, and one that makes them
  /// in bursts takes all of these blocks and gives all of them back.
  static constexpr uint32_t kMost = 2048, kMostMedium = 128;

  /// Of `kSize` bytes; null: none is kept.
  void* take_kept() { return small.take(); }
  void* take(std::size_t bytes) {
    bool is_small = bytes <= kSize, is_medium = bytes <= kMedium && !is_small;
    if (void* block = is_small ? small.take() : is_medium ? medium.take() : nullptr)
      return block;
    return sys::allocate(is_small ? kSize : is_medium ? kMedium : bytes, kAlign);
  }
  /// `bytes`: as for `take`, of any worker.
  void give(void* memory, std::size_t bytes) {
    if (bytes <= kSize ? small.give(memory) : bytes <= kMedium && medium.give(memory)) [[likely]]
      return;
    sys::release(memory);
  }
  /// So many bytes of large blocks have been taken for the worker's tasks, or given back by any
  /// worker. Relaxed: a bound on memory that a few bytes more do not break.
  void count_large(std::size_t bytes) { large_out.fetch_add(bytes, std::memory_order_relaxed); }
  void forget_large(std::size_t bytes) { large_out.fetch_sub(bytes, std::memory_order_relaxed); }
  std::size_t large() const { return large_out.load(std::memory_order_relaxed); }
  /// Returns everything to the system; whoever destroys the worker calls it.
  void end() {
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
        __builtin_unreachable(); // whoever asks need not look
      return block;
    }
    /// False: there are enough.
    bool give(void* block) {
      if (count == kMost) [[unlikely]]
        return false;
      blocks[count++] = block;
      return true;
    }

  private:
    uint32_t count = 0;
    void* blocks[kMost] = {};
  };

  Kept<kMost> small;
  Kept<kMostMedium> medium;
  std::atomic<std::size_t> large_out{0};
};

} // namespace xomp
