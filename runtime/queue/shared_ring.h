// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A bounded queue of pointers with one producer and any number of consumers. The producer puts
// without a lock; whoever takes holds the consumers' lock, so that it may look at an item before it
// decides, take one out of the middle, and be sure that what it looks at stays. Protocol:
// queue/README.md.
#pragma once
#include <atomic>
#include <cstdint>
#include <new>

#include "sys/assert.h"
#include "sys/brief_lock.h"
#include "sys/cpu.h"
#include "sys/memory.h"

namespace xomp {

template <class T> class SharedRing {
public:
  /// `capacity` slots, a power of two; memory is touched as slots are used. Release with `destroy`.
  static SharedRing* create(uint32_t capacity) {
    XOMP_ASSERT(capacity && (capacity & (capacity - 1)) == 0);
    std::size_t bytes = sizeof(SharedRing) + std::size_t{capacity} * sizeof(Slot);
    void* memory = sys::allocate(bytes, sys::kNoSharing);
    return ::new (memory) SharedRing(capacity);
  }
  static void destroy(SharedRing* ring) { sys::release(ring); }

  // ---- the producer ----

  /// Items put and not yet out of the way, holes among them; never less than that.
  uint32_t used() {
    // Acquire pairs with the release in `trim`: the consumers are done with the slots before.
    head_seen = head.load(std::memory_order_acquire);
    return own_tail() - head_seen;
  }
  /// An upper bound of `used`, without a look at the consumers' side.
  uint32_t used_at_most() const { return own_tail() - head_seen; }

  /// The caller knows that there is room. `key` is what others are told of the item before they
  /// take it.
  void push(T* item, int64_t key = 0) {
    uint32_t at = own_tail();
    XOMP_ASSERT(item && at - head.load(std::memory_order_relaxed) <= mask);
    slot(at).item.store(item, std::memory_order_relaxed);
    slot(at).key.store(key, std::memory_order_relaxed);
    // Release publishes the item's contents and the slot.
    tail.store(at + 1, std::memory_order_release);
  }
  /// Takes back the item put last, if it is `item` and nobody is looking at the ring now.
  bool retract(T* item) {
    if (!lock.try_lock()) {
      left_behind = true;
      return false;
    }
    uint32_t first = head.load(std::memory_order_relaxed), at = own_tail();
    // Holes at the end go with it.
    for (; at != first && !slot(at - 1).item.load(std::memory_order_relaxed); --at)
      count_holes(-1);
    bool there = at != first && slot(at - 1).item.load(std::memory_order_relaxed) == item;
    if (there)
      --at;
    XOMP_ASSERT(own_tail() - at <= own_tail() - first);
    tail.store(at, std::memory_order_relaxed); // the lock orders it for the consumers
    lock.unlock();
    left_behind = left_behind || !there;
    return there;
  }

  /// Takes back those put last, holes among them, for which `stale` says that nobody needs them any
  /// more; waits for a consumer that is looking.
  template <class Stale> void retract_stale(Stale stale) {
    lock.lock();
    uint32_t first = head.load(std::memory_order_relaxed), at = own_tail();
    for (; at != first; --at) {
      T* item = slot(at - 1).item.load(std::memory_order_relaxed);
      if (item && !stale(item))
        break;
      count_holes(item ? 0 : -1);
    }
    tail.store(at, std::memory_order_relaxed); // as in `retract`
    lock.unlock();
  }

  /// Moves those that somebody still needs together, in their order, so that `used` counts no
  /// others; `stale`, and consumers, as in `retract_stale`. It costs as much as there are entries,
  /// and is done if it is known that some are holes or stale; else once for so many that were put
  /// or refused, as others may have claimed an item by another way than this ring.
  template <class Stale> void close_up(Stale stale) {
    constexpr uint32_t kEntriesForEach = 16;
    // Relaxed: a thief that makes a hole now is seen the next time.
    if (holes.load(std::memory_order_relaxed) == 0 && !left_behind &&
        own_tail() - closed_up_at + ++refused < capacity() / kEntriesForEach)
      return;
    lock.lock();
    uint32_t first = head.load(std::memory_order_relaxed), to = own_tail();
    for (uint32_t at = to; at != first; --at) {
      T* item = slot(at - 1).item.load(std::memory_order_relaxed);
      if (!item || stale(item))
        continue;
      --to;
      slot(to).item.store(item, std::memory_order_relaxed); // the lock orders it, as in `retract`
      slot(to).key.store(slot(at - 1).key.load(std::memory_order_relaxed),
                         std::memory_order_relaxed);
    }
    holes.store(0, std::memory_order_relaxed);
    head.store(to, std::memory_order_release); // as in `trim`
    lock.unlock();
    left_behind = false;
    closed_up_at = own_tail();
    refused = 0;
  }

  // ---- anybody ----

  /// A hint; right about items put before a fence that the caller knows to have passed.
  bool looks_empty() const { return size_hint() == 0; }
  uint32_t size_hint() const {
    // The head first: it does not overtake the tail, but for items taken back.
    uint32_t first = head.load(std::memory_order_relaxed);
    return tail.load(std::memory_order_relaxed) - first;
  }
  uint32_t capacity() const { return mask + 1; }
  /// The key of the item in front; `none` if the ring looks empty. A hint, as `looks_empty` is:
  /// whoever takes the item meanwhile makes it that of another.
  int64_t front_key(int64_t none) const {
    // Acquire, both: the tail is not older than the head, and the slot has been written.
    uint32_t first = head.load(std::memory_order_acquire);
    if (tail.load(std::memory_order_acquire) == first)
      return none;
    return slot(first).key.load(std::memory_order_relaxed);
  }

  // ---- consumers, between try_lock or lock and unlock ----

  bool try_lock() { return lock.try_lock(); }
  void wait_for_lock() { lock.lock(); }
  void unlock() { lock.unlock(); }
  void after_fork() { lock.free_after_fork(); }

  uint32_t begin() const { return head.load(std::memory_order_relaxed); }
  /// Acquire pairs with the release in `push`.
  uint32_t end() const { return tail.load(std::memory_order_acquire); }
  /// Null: a hole, out of which the item was taken.
  T* at(uint32_t index) const { return slot(index).item.load(std::memory_order_relaxed); }
  int64_t key(uint32_t index) const { return slot(index).key.load(std::memory_order_relaxed); }
  void remove(uint32_t index) {
    XOMP_ASSERT(lock.is_held() && is_inside(index) && at(index));
    slot(index).item.store(nullptr, std::memory_order_relaxed);
    count_holes(1);
  }
  /// Gives the slots of removed items at the front to the producer.
  void trim() {
    XOMP_ASSERT(lock.is_held());
    uint32_t first = head.load(std::memory_order_relaxed), last = end();
    for (; first != last && !at(first); ++first)
      count_holes(-1);
    // Release: the producer may overwrite them, and opened gates say so afterwards.
    head.store(first, std::memory_order_release);
  }

private:
  struct Slot {
    std::atomic<T*> item;
    std::atomic<int64_t> key;
  };

  explicit SharedRing(uint32_t capacity) : mask(capacity - 1) {}
  void count_holes(int by) {
    XOMP_ASSERT(lock.is_held());
    uint32_t now = holes.load(std::memory_order_relaxed);
    // A thread that a forked child does not have may have made one that it had not counted yet.
    if (by > 0 || now > 0)
      holes.store(now + static_cast<uint32_t>(by), std::memory_order_relaxed);
  }
  bool is_inside(uint32_t index) const { return index - begin() < end() - begin(); }
  uint32_t own_tail() const { return tail.load(std::memory_order_relaxed); }
  Slot& slot(uint32_t index) { return reinterpret_cast<Slot*>(this + 1)[index & mask]; }
  const Slot& slot(uint32_t index) const {
    return reinterpret_cast<const Slot*>(this + 1)[index & mask];
  }

  uint32_t mask;
  alignas(sys::kNoSharing) std::atomic<uint32_t> tail{0}; ///< written by the producer only
  // The producer's only.
  uint32_t head_seen = 0;
  uint32_t closed_up_at = 0; ///< the tail at that time
  uint32_t refused = 0;      ///< items since
  bool left_behind = false;  ///< one that was to be taken back since, and was not
  alignas(sys::kNoSharing) std::atomic<uint32_t> head{0}; ///< written under the lock only
  std::atomic<uint32_t> holes{0};                         ///< likewise; between head and tail
  sys::BriefLock lock;
};

} // namespace xomp
