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
  static constexpr std::size_t kSize = 256; ///< of the blocks that are kept
  /// As many tasks of one creator wait on a small team, and one that makes them in bursts takes all
  /// of these blocks and gives all of them back.
  static constexpr int32_t kMost = 512;

  /// Of `kSize` bytes; null: none is kept.
  void* take_kept() {
    Free* block = first;
    if (block) [[likely]] {
      first = block->next;
      ++room;
    }
    return block;
  }
  void* take(std::size_t bytes) {
    if (void* block = bytes <= kSize ? take_kept() : nullptr)
      return block;
    return sys::allocate(bytes <= kSize ? kSize : bytes, kAlign);
  }
  /// `bytes`: as for `take`, of any worker.
  void give(void* memory, std::size_t bytes) {
    if (bytes > kSize)
      return sys::release(memory);
    if (--room < 0) [[unlikely]] {
      ++room;
      return sys::release(memory);
    }
    auto* block = static_cast<Free*>(memory);
    block->next = first;
    first = block;
  }
  /// So many bytes of large blocks have been taken for the worker's tasks, or given back by any
  /// worker. Relaxed: a bound on memory that a few bytes more do not break.
  void count_large(std::size_t bytes) { large_out.fetch_add(bytes, std::memory_order_relaxed); }
  void forget_large(std::size_t bytes) { large_out.fetch_sub(bytes, std::memory_order_relaxed); }
  std::size_t large() const { return large_out.load(std::memory_order_relaxed); }
  /// Returns everything to the system; whoever destroys the worker calls it.
  void end() {
    while (first)
      sys::release(take(kSize));
  }

private:
  struct Free {
    Free* next;
  };
  Free* first = nullptr;
  int32_t room = kMost; ///< for so many more
  std::atomic<std::size_t> large_out{0};
};

} // namespace xomp
