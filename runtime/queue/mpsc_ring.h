// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A bounded queue of pointers, many producers, one consumer, without locks. The consumer may take
// an entry out of the middle. States, transitions and races: queue/README.md.
#pragma once
#include <atomic>
#include <cstdint>

#include "queue/verdict.h"
#include "sys/assert.h"
#include "sys/cpu.h"
#include "sys/delay.h"
#include "sys/memory.h"

namespace xomp {

template <class T> class MpscRing {
public:
  /// `capacity` must be a power of two.
  static MpscRing* create(uint32_t capacity) {
    XOMP_ASSERT(capacity && (capacity & (capacity - 1)) == 0);
    void* memory =
        sys::allocate_zeroed(sizeof(MpscRing) + capacity * sizeof(Slot), sys::kNoSharing);
    return ::new (memory) MpscRing(capacity);
  }
  static void destroy(MpscRing* ring) { sys::release(ring); }
  MpscRing(const MpscRing&) = delete;
  MpscRing& operator=(const MpscRing&) = delete;

  /// Anybody: entries, and places that were taken for one. Relaxed: nothing is read on the strength
  /// of it.
  uint32_t size() const {
    uint64_t begin = head.load(std::memory_order_relaxed);
    uint64_t end = tail.load(std::memory_order_relaxed);
    return end > begin ? static_cast<uint32_t>(end - begin) : 0;
  }

  /// Producers. False: it is full.
  bool push(T* item) {
    XOMP_ASSERT(item && item != taken());
    uint64_t index = tail.load(std::memory_order_relaxed);
    do {
      // Acquire: the consumer's clearing of the slot comes before ours is written.
      // An `index` that is out of date may be behind it; the exchange finds that out.
      if (static_cast<int64_t>(index - head.load(std::memory_order_acquire)) >
          static_cast<int64_t>(mask))
        return false;
      sys::delay();
      // Relaxed: the entry is published by its slot.
    } while (!tail.compare_exchange_weak(index, index + 1, std::memory_order_relaxed));
    sys::delay();
    slots()[index & mask].store(item, std::memory_order_release);
    return true;
  }

  /// Consumer: calls `pick(item)` for the entries, oldest first, until it returns kTake, or `most`
  /// were left. An entry whose producer has not written it yet ends the search.
  template <class Choose> T* take(Choose pick, uint32_t most) {
    uint64_t begin = head.load(std::memory_order_relaxed);
    uint32_t left = 0;
    for (uint64_t index = begin; index - begin <= mask && left < most; ++index) {
      Slot& slot = slots()[index & mask];
      // Acquire pairs with the producer's release.
      T* item = slot.load(std::memory_order_acquire);
      if (!item)
        return nullptr;
      XOMP_ASSERT(index < tail.load(std::memory_order_relaxed)); // its producer took the place
      Verdict choice = item == taken() ? Verdict::kDrop : pick(item);
      if (choice == Verdict::kKeep) {
        ++left;
        continue;
      }
      sys::delay();
      // Relaxed: producers see the slot free by `head`.
      slot.store(left ? taken() : nullptr, std::memory_order_relaxed);
      if (left == 0)
        head.store(index + 1, std::memory_order_release);
      if (choice == Verdict::kTake)
        return item;
    }
    return nullptr;
  }

private:
  using Slot = std::atomic<T*>;

  explicit MpscRing(uint32_t capacity) : mask(capacity - 1) {}
  Slot* slots() { return reinterpret_cast<Slot*>(this + 1); }
  /// Stands in a slot whose entry was taken out of the middle.
  static T* taken() { return reinterpret_cast<T*>(uintptr_t{1}); }

  const uint64_t mask;
  alignas(sys::kNoSharing) std::atomic<uint64_t> tail{0}; ///< places given out
  alignas(sys::kNoSharing) std::atomic<uint64_t> head{0}; ///< places free again; the consumer's
};

} // namespace xomp
