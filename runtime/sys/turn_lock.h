// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A mutex of one 32-bit word that few threads use at a time, by turns. Whoever comes may take it
// when it is free, one waiter stays awake to take it next, the others sleep in a queue: that keeps
// the lock on the processors where it is hot (Dice, "Malthusian locks", EuroSys 2017). When the one
// that has slept longest has waited for a turn it is called, or has the lock handed over. States,
// rules and races: sys/README.md, "Locks by turns".
#pragma once
#include <atomic>
#include <bit>
#include <cstdint>

#include "sys/assert.h"
#include "sys/asymmetric_fence.h"
#include "sys/brief_lock.h"
#include "sys/cpu.h"
#include "sys/delay.h"
#include "sys/futex.h"

namespace xomp::sys {

/// A thread that sleeps for a lock. Its fields but `news` belong to whoever holds the queue's lock.
struct TurnSleeper {
  enum News : uint32_t {
    kNone = 0,
    kCalled = 1, ///< it may look at the lock
    kHanded = 2, ///< it holds the lock
  };
  const void* lock = nullptr;
  TurnSleeper* next = nullptr;
  int processor = -1;       ///< on which it fell asleep
  uint32_t passed_over = 0; ///< how often another one had the turn that was its own
  std::atomic<uint32_t> news{kNone};

  /// Wakes it. Not to be touched afterwards.
  void tell(News what) {
    std::atomic<uint32_t>& word = news;
    XOMP_ASSERT(word.load(std::memory_order_relaxed) == kNone && what != kNone);
    // Release: the new holder sees what the last one wrote. The sleeper may be gone when the wake
    // comes; then it is a spurious one for whoever sleeps there.
    word.store(what, std::memory_order_release);
    futex_wake(word, 1);
  }
  /// Until it is told; or for a nap, where it has to see itself what nobody may tell it of.
  void sleep() {
    while (news.load(std::memory_order_acquire) == kNone) { // pairs with `tell`
      if (!has_asymmetric_fence())
        return futex_wait_at_most(news, kNone, kNap);
      futex_wait(news, kNone);
    }
  }

private:
  static constexpr int64_t kNap = 5'000'000; ///< nanoseconds
};

/// The threads that sleep for any of the locks that share it, in the order in which they came. Zero
/// is empty.
class alignas(kCacheLine) TurnQueue {
public:
  BriefLock lock;
  uint32_t era = 0; ///< see `TurnLock::kEra`; changed by nobody but a child of fork

  /// Also for those that have not locked it. Relaxed: see `TurnLock::release_at_once`.
  bool has_sleepers() const { return sleeping.load(std::memory_order_relaxed) != 0; }
  void push_back(TurnSleeper& sleeper) {
    count_one(1);
    TurnSleeper** end = &first;
    while (*end)
      end = &(*end)->next;
    sleeper.next = nullptr;
    *end = &sleeper;
  }
  void push_front(TurnSleeper& sleeper) {
    count_one(1);
    sleeper.next = first;
    first = &sleeper;
  }
  TurnSleeper* first_of(const void* of) const { return among(first, of); }
  /// The first of those that fell asleep on that processor, which the caller is about to leave:
  /// elsewhere the kernel would put the woken thread behind a busy one and leave this one idle.
  /// Only among the first few, and whoever sleeps longest is not passed over for ever.
  TurnSleeper* first_on(const void* of, int processor) const {
    XOMP_ASSERT(lock.is_held());
    TurnSleeper* oldest = first_of(of);
    TurnSleeper* each = oldest;
    for (int i = 0; each && oldest->passed_over < kMostPassedOver && i < kNear; ++i) {
      if (each->processor == processor) {
        oldest->passed_over += each != oldest;
        return each;
      }
      each = next_of(*each);
    }
    return oldest;
  }
  static TurnSleeper* next_of(const TurnSleeper& sleeper) {
    return among(sleeper.next, sleeper.lock);
  }
  /// How many sleep for that lock.
  uint32_t count_of(const void* of) const {
    XOMP_ASSERT(lock.is_held());
    uint32_t count = 0;
    for (TurnSleeper* each = first_of(of); each; each = next_of(*each))
      ++count;
    return count;
  }
  bool holds(const TurnSleeper& sleeper) const {
    XOMP_ASSERT(lock.is_held());
    TurnSleeper* each = first;
    while (each && each != &sleeper)
      each = each->next;
    return each;
  }
  void remove(TurnSleeper& sleeper) {
    count_one(-1);
    TurnSleeper** link = &first;
    while (*link != &sleeper) {
      XOMP_ASSERT(*link);
      link = &(*link)->next;
    }
    *link = sleeper.next;
  }

private:
  static constexpr int kNear = 8;
  static constexpr uint32_t kMostPassedOver = 3;

  static TurnSleeper* among(TurnSleeper* sleeper, const void* of) {
    while (sleeper && sleeper->lock != of)
      sleeper = sleeper->next;
    return sleeper;
  }

  void count_one(int change) {
    XOMP_ASSERT(lock.is_held());
    sleeping.store(sleeping.load(std::memory_order_relaxed) + static_cast<uint32_t>(change),
                   std::memory_order_relaxed);
  }

  TurnSleeper* first = nullptr;
  std::atomic<uint32_t> sleeping{0};
};

class TurnLock {
public:
  enum : uint32_t {
    kFree = 0,
    kTaken = 1,       ///< not to be had at once: somebody has it, or it is kept. Alone in its byte
    kTraced = 1 << 8, ///< the holder's release is to go the slow way
    kQueued = 1 << 9, ///< somebody sleeps; changed under the queue's lock
    kLooking = 1 << 10, ///< one waiter is awake: a release wakes nobody
    kWoken =
        1 << 11, ///< one that slept has been called, and may not run yet: it wakes nobody either
    kClaimed = 1 << 12, ///< one of these two has waited for a turn: a release keeps the lock for it
    kKept = 1 << 13,    ///< nobody has it, but it is for who has claimed it
  };
  /// Bits of what was true in another process are not true in its child; the era says of which
  /// process they are.
  static constexpr int kEraShift = 14, kEras = 8;
  static constexpr uint32_t kEra = (kEras - 1) << kEraShift;
  /// When the turn of the ones that are awake began, or the first sleeper began to wait. What is
  /// longer ago than these bits can tell seems to be a turn that has just begun.
  static constexpr int kTimeShift = 17;
  static constexpr uint32_t kTimes = ~uint32_t{0} >> kTimeShift;

  bool try_at_once() {
    // Acquire pairs with the release in `release_at_once`: what the last holder wrote is visible.
    // Whoever waits is as before. No compare-and-swap: where some wait, the holder's next entry is
    // as fast as its first.
    return !(word.fetch_or(kTaken, std::memory_order_acquire) & kTaken);
  }
  /// Gives it up if nobody sleeps for it, has claimed it or listens. False: `release` has to. No
  /// atomic read-modify-write: who falls asleep at this moment has the process pass a fence, and
  /// sees this store, or is seen below (store buffering; `missed_release`).
  bool release_at_once(TurnQueue& queue) {
    if ((word.load(std::memory_order_relaxed) & (kTakenByte | kTraced | kQueued | kClaimed)) !=
        kTaken)
      return false;
    // Release pairs with every acquire that follows.
    free_only(std::memory_order_release);
    // From here on the word may be gone: the next holder may have ended the lock's life.
    light_fence();
    return !queue.has_sleepers() || !takes_back(queue);
  }

  /// Relaxed: of a lock that the caller has, or believes to have.
  bool is_held() const { return !is_free(word.load(std::memory_order_relaxed)); }

  /// Takes the lock if it is free.
  bool try_acquire(const TurnQueue& queue) {
    for (;;) {
      uint32_t before = word.load(std::memory_order_relaxed), now = current(queue, before);
      if (now & kTaken)
        return false;
      if (replace(before, now | kTaken, std::memory_order_acquire))
        return true;
    }
  }

  /// The longest turn is for so few sleepers, the shortest a quarter of that: many sleepers do not
  /// wait many times as long as few.
  static constexpr uint32_t kFewSleepers = 8, kShortest = 4;

  /// The holder's release will go the slow way. Relaxed: only the holder cares.
  void go_slowly() { word.fetch_or(kTraced, std::memory_order_relaxed); }

  /// Waits. Of `waiter` is asked: `passes_by()`, `looks()` and `hangs_on()`, which spend a moment
  /// or say that it is time for something else: before anything, as the one that looks, and while
  /// another does; `may_claim()`; `turn()`, `since` and `now()` in the unit of `kTimes`;
  /// `processor()`; `sleeper`, and `sleeps()`, which sleeps on it.
  template <class Waiter> void acquire(TurnQueue& queue, Waiter& waiter) {
    uint32_t mine = 0; // of kLooking and kClaimed
    bool called = false;
    for (;;) {
      uint32_t before = word.load(std::memory_order_relaxed), now = current(queue, before);
      if (is_free(now)) {
        // A thread that has claimed the lock may have lost its processor.
        if ((now & kClaimed & ~mine) && !waiter.overtakes())
          continue;
        if (replace(before, (now | kTaken) & ~(mine | kKept), std::memory_order_acquire))
          return;
        continue;
      }
      // Relaxed where the lock is not taken: roles order nothing.
      if (mine) {
        if (waiter.looks()) {
          if (!(now & kClaimed) && waiter.may_claim() &&
              replace(before, now | kClaimed, std::memory_order_relaxed))
            mine |= kClaimed;
          continue;
        }
        // NOLINTNEXTLINE(bugprone-branch-clone): each question spends a moment, and their order counts
      } else if (!(now & kQueued) && waiter.passes_by()) {
        continue;
      } else if (!(now & kLooking) && !over(now, waiter)) {
        if (replace(before, now | kLooking, std::memory_order_relaxed))
          mine = kLooking;
        continue;
      } else if ((now & kLooking) && waiter.hangs_on()) {
        continue; // the one that looks may be without a processor
      }
      switch (sleep(queue, waiter, mine, called)) {
      case TurnSleeper::kHanded:
        return;
      case TurnSleeper::kCalled:
        mine = kWoken;
        called = true;
        break;
      case TurnSleeper::kNone: // it came free
        break;
      }
    }
  }

  /// Gives up a lock that `release_at_once` has not.
  template <class Clock> void release(TurnQueue& queue, Clock clock, uint32_t turn) {
    for (;;) {
      uint32_t before = word.load(std::memory_order_relaxed), now = current(queue, before);
      if (now & kQueued && wakes(now, clock(), turn)) {
        if (wake_next(queue, clock(), turn))
          return;
      } else if (replace(before, left(now), std::memory_order_release)) {
        return;
      }
    }
  }

private:
  static constexpr uint32_t kTakenByte = 0xff;
  static constexpr uint32_t kAwake = kLooking | kWoken, kRoles = kQueued | kAwake | kClaimed;

  static uint32_t current(const TurnQueue& queue, uint32_t seen) {
    if ((seen & kEra) == queue.era << kEraShift) [[likely]]
      return seen;
    return (is_free(seen) ? 0 : seen & (kTaken | kTraced)) | queue.era << kEraShift;
  }
  static bool is_free(uint32_t state) { return (state & (kTaken | kKept)) != kTaken; }
  /// After its holder has left it.
  static uint32_t left(uint32_t state) {
    return state & kClaimed ? (state & ~kTraced) | kKept : state & ~(kTaken | kTraced);
  }
  static uint32_t at(uint32_t state, uint32_t time) {
    return (state & ((1U << kTimeShift) - 1)) | time << kTimeShift;
  }
  /// Whether whoever comes now is to change places with one that sleeps. Not while one is on its
  /// way, perhaps behind a thread that has a part in the lock, on another processor than the
  /// caller.
  template <class Waiter> static bool over(uint32_t state, Waiter& waiter) {
    return (state & (kQueued | kWoken)) == kQueued && due(state, waiter.now(), waiter.turn());
  }
  static bool due(uint32_t state, uint32_t now, uint32_t turn) {
    return ((now - (state >> kTimeShift)) & kTimes) >= turn;
  }
  /// By how much a turn is shorter than the longest: it is said to have begun earlier.
  static uint32_t shortened_by(uint32_t turn, uint32_t sleepers) {
    if (sleepers <= kFewSleepers)
      return 0;
    return sleepers < kShortest * kFewSleepers ? turn - turn * kFewSleepers / sleepers
                                               : turn - turn / kShortest;
  }
  /// Whether a release is to wake a sleeper: nobody is awake to take the lock, or those that are
  /// have had it for their turn and a shortest one. (After theirs they change places, which costs
  /// the lock no time.)
  static bool wakes(uint32_t state, uint32_t now, uint32_t turn) {
    return !(state & kAwake) || (!(state & kClaimed) && due(state, now, turn + turn / kShortest));
  }
  /// The thread that has claimed the lock is one that is awake. (A release that did not see the
  /// claim has not kept the lock.)
  static bool is_legal(uint32_t state) {
    return (!(state & kClaimed) || (state & kAwake)) &&
           (!(state & kKept) || (state & kTaken && state & kClaimed));
  }
  bool replace(uint32_t before, uint32_t after, std::memory_order order) {
    XOMP_ASSERT(is_legal(after));
    delay();
    // Back to what the fast ways know as soon as nobody has a part in it.
    if (!(after & kRoles))
      after &= kTaken | kTraced;
    return word.compare_exchange_weak(before, after, order, std::memory_order_relaxed);
  }

  /// Its byte alone: what others change in the rest of the word meanwhile stays.
  void free_only(std::memory_order order) {
#ifdef XOMP_CHECKED_ORDERS // tests/orders: the memory model knows no parts of words
    word.fetch_and(~kTakenByte, order);
#else
    static_assert(std::endian::native == std::endian::little, "the first byte is the lowest");
    __atomic_store_n(reinterpret_cast<uint8_t*>(&word), uint8_t{0}, static_cast<int>(order));
#endif
  }

  /// After a release during which somebody fell asleep for a lock of this queue: whether the lock
  /// is the caller's again, who has to wake one that sleeps for it.
  [[gnu::noinline]] bool takes_back(TurnQueue& queue) {
    bool taken = false;
    queue.lock.lock();
    // While one is in the queue the lock lives.
    while (!taken && queue.first_of(this)) {
      uint32_t before = word.load(std::memory_order_relaxed);
      if (before & (kTaken | kAwake)) // its holder wakes somebody, or who is awake takes it
        break;
      taken = replace(before, before | kTaken, std::memory_order_acquire);
    }
    queue.lock.unlock();
    return taken;
  }

  /// By one that has set `kQueued`, when it is about to sleep: whether a release may not have seen
  /// that. Then it is out of the queue again.
  bool missed_release(TurnQueue& queue, TurnSleeper& self) {
    heavy_fence(); // pairs with the light one of `release_at_once`
    if (!is_free(word.load(std::memory_order_relaxed)))
      return false;
    queue.lock.lock();
    bool there = queue.holds(self); // otherwise it is told something
    if (there)
      queue.remove(self);
    while (there && !queue.first_of(this)) {
      uint32_t before = word.load(std::memory_order_relaxed);
      if (replace(before, current(queue, before) & ~kQueued, std::memory_order_relaxed))
        break;
    }
    queue.lock.unlock();
    return there;
  }

  template <class Waiter>
  TurnSleeper::News sleep(TurnQueue& queue, Waiter& waiter, uint32_t& mine, bool called) {
    TurnSleeper& self = waiter.sleeper;
    TurnSleeper* next;
    bool first;
    queue.lock.lock();
    for (;;) {
      uint32_t before = word.load(std::memory_order_relaxed), now = current(queue, before);
      first = !(now & kQueued);
      if (is_free(now) && !(now & kClaimed & ~mine)) {
        queue.lock.unlock();
        return TurnSleeper::kNone;
      }
      // Whose turn is over changes places with one that has slept for long, while the lock is in
      // use: nobody waits for the wake-up.
      next = !mine && !(now & kLooking) && over(now, waiter)
                 ? queue.first_on(this, waiter.processor())
                 : nullptr;
      uint32_t after = (now & ~mine) | kQueued;
      if (next)
        after =
            at(after | kWoken, waiter.now() - shortened_by(waiter.turn(), queue.count_of(this)));
      else if (called) // in vain: the next release hands over
        after = at(after, waiter.now() - waiter.turn());
      else if (!(now & kQueued))
        after = at(after, waiter.since);
      if (replace(before, after, std::memory_order_relaxed))
        break;
    }
    self.lock = this;
    self.processor = waiter.processor();
    self.passed_over = 0;
    self.news.store(TurnSleeper::kNone, std::memory_order_relaxed);
    if (next)
      queue.remove(*next);
    if (called)
      queue.push_front(self);
    else
      queue.push_back(self);
    queue.lock.unlock();
    mine = 0;
    if (next)
      next->tell(TurnSleeper::kCalled);
    for (bool looks = first;; looks = true) {
      if (looks && missed_release(queue, self))
        return TurnSleeper::kNone;
      waiter.sleeps();
      // Relaxed: as it was told, which it has acquired.
      if (uint32_t news = self.news.load(std::memory_order_relaxed); news != TurnSleeper::kNone)
        return static_cast<TurnSleeper::News>(news);
    }
  }

  /// False: a thread that is awake will take it.
  [[gnu::noinline]] bool wake_next(TurnQueue& queue, uint32_t time, uint32_t turn) {
    TurnSleeper* next;
    bool hands;
    queue.lock.lock();
    for (;;) {
      uint32_t before = word.load(std::memory_order_relaxed), now = current(queue, before);
      if (!(now & kQueued) || !wakes(now, time, turn)) {
        queue.lock.unlock();
        return false;
      }
      next = queue.first_of(this);
      if (!next) { // the bit is of an ancestor by eight forks: the era has come round
        replace(before, now & ~kQueued, std::memory_order_relaxed);
        queue.lock.unlock();
        return false;
      }
      hands = due(now, time, turn);
      XOMP_ASSERT(!is_free(now) && !(now & kClaimed));
      uint32_t after = at(hands ? now & ~kTraced : left(now) | kWoken,
                          time - shortened_by(turn, queue.count_of(this)));
      if (!TurnQueue::next_of(*next))
        after &= ~kQueued;
      // Release as in `release_at_once`; whom it is handed to has it from `tell`.
      if (replace(before, after, std::memory_order_release))
        break;
    }
    queue.remove(*next);
    queue.lock.unlock();
    next->tell(hands ? TurnSleeper::kHanded : TurnSleeper::kCalled);
    return true;
  }

  std::atomic<uint32_t> word{kFree};
};

} // namespace xomp::sys
