// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A worker's memory for deferred tasks and for arguments. Only its own worker allocates; other
// threads only hand blocks back to it (`free_remote`), which it takes when it finds no other
// (task/README.md). Memory goes back to the system now and then between regions, and when the
// worker is destroyed.
#pragma once
#include <cstddef>
#include <cstdint>

#include "queue/push_list.h"
#include "sys/cpu.h"
#include "sys/memory.h"

namespace xomp {

class Heap {
public:
  /// Of every block, and sizes are multiples of it: tasks that lie side by side are run by
  /// different workers.
  static constexpr std::size_t kAlign = sys::kCacheLine;
  /// Sizes above the largest class come from the C library, and all of them where XOMP_TASK_MEMORY
  /// says so. 192, 256, 384, 512, 1024, 2048 bytes;
  /// where lines have 128 bytes 256, 384, 512, 768, 1024, 2048.
  static constexpr uint32_t kClasses = 6;
  static constexpr uint32_t kSmallest = kAlign == 64 ? 192 : 256,
                            kNext = kSmallest + uint32_t{kAlign};
  static constexpr uint32_t kSizes[kClasses] = {kSmallest, kNext, 2 * kSmallest,
                                                2 * kNext, 1024,  2048};
  static constexpr uint32_t kLargest = kSizes[kClasses - 1];

  /// Returns everything to the system; whoever destroys the worker calls it.
  void end();
  /// Gives back all but the first slab if no block is in use. Costs as much as there are free
  /// blocks.
  void trim();
  /// The size that an allocation of `bytes` really gets; pass it to `allocate` and `free`.
  static std::size_t size_for(std::size_t bytes) {
    for (uint32_t size : kSizes) {
      if (bytes <= size)
        return size;
    }
    return sys::round_up(bytes, kAlign);
  }
  /// Memory from the free list, or null when that is empty.
  void* reuse(std::size_t size);
  /// As `reuse`, but takes fresh memory when the free list is empty.
  void* allocate(std::size_t size);
  void free(void* memory, std::size_t size);
  /// From any thread: a block up to the largest class is left for its own worker to reuse.
  void free_remote(void* memory, std::size_t size);
  /// Bytes of the blocks above the largest class.
  std::size_t large() const { return large_bytes; }

private:
  friend std::size_t footprint(const Heap& heap); // tests/unit/footprint.h
  /// Of slabs: each takes as much as all before it. Most workers of a program with many teams need
  /// little.
  static constexpr std::size_t kSmallestSlab = 8192, kLargestSlab = 65536;

  struct Free {
    Free* next;
    std::size_t size; ///< only where it was freed remotely
  };
  struct Slab {
    Slab* next;
    std::size_t bytes;
  };
  static int class_of(std::size_t size) {
    for (uint32_t i = 0; i < kClasses; ++i) {
      if (size == kSizes[i])
        return static_cast<int>(i);
    }
    return -1;
  }
  void use(Slab& slab);
  void* carve(std::size_t size);
  [[gnu::noinline]] void collect_remote();
  void release_newest_slab();

  Free* lists[kClasses] = {};
  PushList<Free> remote; ///< freed by other threads
  char* fresh = nullptr; ///< rest of the newest slab
  char* fresh_end = nullptr;
  Slab* slabs = nullptr; ///< newest first
  std::size_t slab_bytes = 0, large_bytes = 0;
  std::size_t carved = 0; ///< bytes of blocks up to the largest class, free ones too
};

} // namespace xomp
