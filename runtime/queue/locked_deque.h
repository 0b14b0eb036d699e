// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A deque under a lock: pushed at the newest end by anybody, searched from either end by anybody.
// An entry that the searcher may not have stays in its place and does not hide those behind it. The
// array grows up to the limit that each push names. Rules: queue/README.md.
#pragma once
#include <atomic>
#include <cstdint>

#include "queue/verdict.h"
#include "sys/assert.h"
#include "sys/brief_lock.h"
#include "sys/cpu.h"
#include "sys/delay.h"
#include "sys/memory.h"

namespace xomp {

template <class T> class alignas(sys::kNoSharing) LockedDeque {
public:
  LockedDeque() = default;
  ~LockedDeque() { sys::release(slots); }
  LockedDeque(const LockedDeque&) = delete;
  LockedDeque& operator=(const LockedDeque&) = delete;

  /// Without the lock: a probe. Relaxed, as are the changes: the lock orders the entries.
  uint32_t size() const { return count.load(std::memory_order_relaxed); }

  /// False: it holds `limit` entries.
  bool push(T* item, uint32_t limit) {
    XOMP_ASSERT(item);
    if (size() >= limit)
      return false;
    lock.lock();
    uint32_t held = size();
    bool room = held < limit;
    if (room) {
      if (held == capacity)
        grow();
      at(held) = item;
      set_size(held + 1);
    }
    sys::delay();
    lock.unlock();
    return room;
  }

  /// The first entry, from the newest end, for which `pick` says kTake; null if there is none, or
  /// after `most` that were left. `pick` runs under the lock: it must not come back here.
  template <class Choose> T* take_newest(Choose pick, uint32_t most) {
    uint32_t moved;
    return take<false>(pick, most, nullptr, 0, moved);
  }

  /// As `take_newest`, from the oldest end. With the one found, up to `extra` of the next older
  /// ones go to `more` unasked, oldest first; `moved` says how many.
  template <class Choose>
  T* take_oldest(Choose pick, uint32_t most, T** more, uint32_t extra, uint32_t& moved) {
    return take<true>(pick, most, more, extra, moved);
  }
  template <class Choose> T* take_oldest(Choose pick, uint32_t most) {
    uint32_t moved;
    return take_oldest(pick, most, nullptr, 0, moved);
  }

  /// Takes `item` out if it is the newest.
  bool retract(const T* item) {
    if (size() == 0)
      return false;
    lock.lock();
    uint32_t held = size();
    bool newest = held > 0 && at(held - 1) == item;
    if (newest)
      set_size(held - 1);
    sys::delay();
    lock.unlock();
    return newest;
  }

  /// In a child of fork, where nobody else is: whoever held the lock may be gone, in the middle of
  /// taking out. What it has moved may be there twice, which its claim tells; what it has taken is
  /// not there.
  void after_fork() {
    lock.free_after_fork();
    lock.lock();
    uint32_t kept = 0;
    for (uint32_t i = 0; i < size(); ++i) {
      if (T* item = at(i))
        at(kept++) = item;
    }
    set_size(kept);
    lock.unlock();
  }

private:
  template <bool oldest, class Choose>
  T* take(Choose pick, uint32_t most, T** more, uint32_t extra, uint32_t& moved) {
    moved = 0;
    if (size() == 0)
      return nullptr;
    lock.lock();
    uint32_t held = size(), i = 0, left = 0;
    auto nth = [&](uint32_t n) -> T*& { return at(oldest ? n : held - 1 - n); };
    T* found = nullptr;
    while (i < held && !found && left < most) {
      T*& item = nth(i++);
      Verdict choice = pick(item);
      if (choice == Verdict::kKeep) {
        ++left;
        continue;
      }
      found = choice == Verdict::kTake ? item : nullptr;
      item = nullptr;
    }
    uint32_t out = i - left;
    for (; found && moved < extra && i < held; ++i) {
      more[moved++] = nth(i);
      nth(i) = nullptr;
    }
    if (out) {
      // Those left behind are at this end again.
      for (uint32_t from = i; from > 0; --from) {
        if (T* item = nth(from - 1))
          nth(--i) = item;
      }
      if (oldest)
        first = (first + i) & (capacity - 1);
      set_size(held - i);
    }
    sys::delay();
    lock.unlock();
    return found;
  }

  T*& at(uint32_t index) {
    XOMP_ASSERT(lock.is_held() && index < capacity);
    return slots[(first + index) & (capacity - 1)];
  }

  void set_size(uint32_t entries) {
    XOMP_ASSERT(lock.is_held() && entries <= capacity);
    count.store(entries, std::memory_order_relaxed);
  }

  void grow() {
    XOMP_ASSERT(size() == capacity);
    uint32_t wider = capacity ? capacity * 2 : 32;
    auto** fresh = static_cast<T**>(sys::allocate(sizeof(T*) * wider));
    for (uint32_t i = 0; i < size(); ++i)
      fresh[i] = at(i);
    sys::release(slots);
    slots = fresh;
    capacity = wider;
    first = 0;
  }

  sys::BriefLock lock;
  std::atomic<uint32_t> count{0};
  uint32_t capacity = 0; ///< a power of two
  uint32_t first = 0;    ///< slot of the oldest
  T** slots = nullptr;
};

} // namespace xomp
