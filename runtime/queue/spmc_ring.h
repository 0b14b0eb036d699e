// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A bounded queue of pointers for one producer and any number of consumers, without a lock around
// it: the SPSC ring with a compare-and-swap for each entry that is looked at. The producer needs
// none. An entry that the consumer may not have stays in its place and does not hide those behind
// it. States, transitions and races: queue/README.md.
#pragma once
#include <atomic>
#include <cstdint>
#include <new>

#include "queue/verdict.h"
#include "sys/assert.h"
#include "sys/cpu.h"
#include "sys/delay.h"
#include "sys/memory.h"
#include "sys/short_wait.h"

namespace xomp {

template <class T> class SpmcRing {
public:
  using Slot = std::atomic<T*>;

  /// `capacity` slots, a power of two. Release with `destroy`.
  static SpmcRing* create(uint32_t capacity) {
    XOMP_ASSERT(capacity && (capacity & (capacity - 1)) == 0);
    void* memory =
        sys::allocate_zeroed(sizeof(SpmcRing) + capacity * sizeof(Slot), sys::kNoSharing);
    return ::new (memory) SpmcRing(capacity);
  }
  static void destroy(SpmcRing* ring) { sys::release(ring); }
  SpmcRing(const SpmcRing&) = delete;
  SpmcRing& operator=(const SpmcRing&) = delete;

  /// Producer: whether `push` would be accepted. Relaxed: `push` looks again.
  bool has_room() {
    uint32_t end = tail.load(std::memory_order_relaxed); // its own
    return slots()[end & mask].load(std::memory_order_relaxed) == nullptr;
  }

  /// Producer: false when full, which an entry that nobody may have yet can make it with others
  /// free.
  bool push(T* item) {
    XOMP_ASSERT(item && item != held());
    uint32_t end = tail.load(std::memory_order_relaxed); // its own
    Slot& slot = slots()[end & mask];
    // Acquire pairs with the release of whoever emptied the slot: it has read all that it wanted.
    if (slot.load(std::memory_order_acquire) != nullptr)
      return false;
    // Release publishes the item's contents to whoever takes it.
    slot.store(item, std::memory_order_release);
    sys::delay();
    // Release: a thread that sees the new end sees the slot filled, or emptied by somebody since.
    tail.store(end + 1, std::memory_order_release);
    return true;
  }

  /// Anybody: calls `pick(item)` for the entries, oldest first, until it returns kTake, or `most`
  /// were left. One that somebody else is deciding about at this moment is waited for if `patient`,
  /// and passed over if not. `pick` must not come back here.
  template <class Choose> T* take(Choose pick, uint32_t most, bool patient) {
    uint32_t end = tail.load(std::memory_order_acquire); // pairs with `push`
    uint32_t begin = head.load(std::memory_order_relaxed), at = oldest(begin, end), free = at;
    T* found = nullptr;
    for (uint32_t left = 0; at != end && !found && left < most; ++at) {
      Slot& slot = slots()[at & mask];
      T* item = hold(slot, patient);
      Verdict choice = Verdict::kKeep;
      if (item && item != held()) {
        choice = pick(item);
        sys::delay();
        // Release: the producer fills the slot, or the next consumer looks at the entry, after this
        // one has looked.
        slot.store(choice == Verdict::kKeep ? item : nullptr, std::memory_order_release);
        found = choice == Verdict::kTake ? item : nullptr;
        left += choice == Verdict::kKeep;
      }
      if (free == at && (!item || choice != Verdict::kKeep))
        ++free;
    }
    // All below `free` are gone. Relaxed: a hint; a thread that reads it late begins to look too
    // early. By compare-and-swap, so that it never goes back.
    if (free != begin)
      head.compare_exchange_strong(begin, free, std::memory_order_relaxed);
    return found;
  }

  /// Anybody: how many slots were full while it looked.
  int occupied() const {
    int full = 0;
    for (uint32_t i = 0; i <= mask; ++i)
      full += slots()[i].load(std::memory_order_relaxed) != nullptr;
    return full;
  }

  /// In a child of fork: a thread that was deciding about an entry is gone, and perhaps the entry
  /// with it.
  void after_fork() {
    for (uint32_t i = 0; i <= mask; ++i) {
      T* item = held();
      slots()[i].compare_exchange_strong(item, nullptr, std::memory_order_relaxed);
    }
  }

private:
  explicit SpmcRing(uint32_t capacity) : mask(capacity - 1) {}
  Slot* slots() { return reinterpret_cast<Slot*>(this + 1); }
  const Slot* slots() const { return reinterpret_cast<const Slot*>(this + 1); }
  /// Stands in a slot about whose entry somebody decides.
  static T* held() { return reinterpret_cast<T*>(uintptr_t{1}); }

  /// Where a search begins: `begin`, unless the slot there has been filled again since, or
  /// everything up to `end` has been taken (then `end`).
  uint32_t oldest(uint32_t begin, uint32_t end) const {
    auto span = static_cast<int32_t>(end - begin);
    if (span <= 0)
      return end;
    return static_cast<uint32_t>(span) > mask + 1 ? end - (mask + 1) : begin;
  }

  /// Takes the entry for a decision: nobody else touches it meanwhile. Null: there is none;
  /// `held()`: somebody else decides.
  static T* hold(Slot& slot, bool patient) {
    sys::ShortWait wait;
    for (;;) {
      T* item = slot.load(std::memory_order_relaxed); // the exchange decides
      if (!item)
        return nullptr;
      if (item != held()) {
        // Acquire pairs with the producer's release, and with that of the thread that left the
        // entry here.
        if (slot.compare_exchange_strong(item, held(), std::memory_order_acquire,
                                         std::memory_order_relaxed))
          return item;
      } else if (!patient) {
        return held();
      } else {
        wait.once();
      }
    }
  }

  const uint32_t mask;
  alignas(sys::kNoSharing) std::atomic<uint32_t> tail{0}; ///< the producer's
  alignas(sys::kNoSharing) std::atomic<uint32_t> head{0}; ///< below it nothing is left
};

} // namespace xomp
