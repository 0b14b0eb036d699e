// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A bounded queue of pointers for one producer and one consumer (the B-queue of paper 1, section
// II.B). A slot is free when it holds null, so producer and consumer share no index: each looks
// only at the slot that it needs next, and no read-modify-write is used on either side. Protocol:
// queue/README.md.
#pragma once
#include <atomic>
#include <cstdint>
#include <new>

#include "sys/assert.h"
#include "sys/cpu.h"
#include "sys/memory.h"

namespace xomp {

template <class T> class SpscRing {
public:
  using Slot = std::atomic<T*>;

  /// `capacity` slots, a power of two. Release with `destroy`.
  static SpscRing* create(uint32_t capacity) {
    XOMP_ASSERT(capacity && (capacity & (capacity - 1)) == 0);
    std::size_t bytes = sizeof(SpscRing) + capacity * sizeof(Slot);
    void* memory = sys::allocate(bytes, sys::kNoSharing);
    return ::new (memory) SpscRing(capacity);
  }
  static void destroy(SpscRing* ring) { sys::release(ring); }

  /// Producer: the slot that the next push will fill; the ring is full while it is not null.
  Slot* next_slot() { return &slots()[tail & mask]; }

  /// Producer: false when full. `item` is not null.
  bool push(T* item) {
    XOMP_ASSERT(item);
    Slot* slot = next_slot();
    // Acquire pairs with the consumer's release of the slot: what it read of the old item is
    // finished.
    if (slot->load(std::memory_order_acquire) != nullptr)
      return false;
    // Release publishes the item's contents to the consumer.
    slot->store(item, std::memory_order_release);
    ++tail;
    return true;
  }

  /// Consumer: the oldest item, left in the ring, or null.
  T* front() const { return slots()[head & mask].load(std::memory_order_acquire); }

  /// Consumer: removes the item that `front` gave.
  void pop() {
    XOMP_ASSERT(front());
    slots()[head & mask].store(nullptr, std::memory_order_release);
    ++head;
  }

  /// Any thread: how many slots were full while it looked.
  int occupied() const {
    int full = 0;
    for (uint32_t i = 0; i <= mask; ++i)
      full += slots()[i].load(std::memory_order_relaxed) != nullptr;
    return full;
  }

private:
  explicit SpscRing(uint32_t capacity) : mask(capacity - 1) {
    for (uint32_t i = 0; i < capacity; ++i)
      ::new (&slots()[i]) Slot(nullptr);
  }
  Slot* slots() { return reinterpret_cast<Slot*>(this + 1); }
  const Slot* slots() const { return reinterpret_cast<const Slot*>(this + 1); }

  uint32_t mask;
  alignas(sys::kNoSharing) uint32_t tail = 0; ///< producer only
  alignas(sys::kNoSharing) uint32_t head = 0; ///< consumer only
};

} // namespace xomp
