// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long a turn is: shorter where many sleep, by a clock that stands where the test puts it. A
// claim that is not taken up. And releases at once beside one that falls asleep.
#include "sys/turn_lock.h"

#include <gtest/gtest.h>

#include <deque>
#include <thread>

namespace xomp::sys {
namespace {

constexpr uint32_t kTurn = 400;

/// Goes to sleep at time 0 and says what it was woken for.
struct Waiter {
  static bool passes_by() { return false; }
  static bool hangs_on() { return false; }
  static bool looks() { return false; }
  static bool overtakes() { return false; }
  static bool may_claim() { return false; }
  static uint32_t now() { return 0; }
  static uint32_t turn() { return kTurn; }
  static int processor() { return 0; }
  void sleeps() {
    sleeper.sleep();
    told = sleeper.news.load(std::memory_order_relaxed);
  }
  uint32_t since = 0;
  uint32_t told = TurnSleeper::kNone;
  TurnSleeper sleeper;
};

/// A lock that is held, and so many threads that sleep for it, in this order.
class SleepersOfALock {
public:
  explicit SleepersOfALock(uint32_t count) : waiters(count), holds(count) {
    EXPECT_TRUE(lock.try_at_once());
    for (uint32_t i = 0; i < count; ++i) {
      threads.emplace_back([this, i] {
        lock.acquire(queue, waiters[i]);
        holds[i].store(true, std::memory_order_release); // what it was told is there
      });
      while (asleep() <= i)
        std::this_thread::yield();
    }
  }
  /// The lock is released at that time; returns what the next one was told, once it has the lock.
  uint32_t release_at(uint32_t time) {
    lock.release(queue, [time] { return time; }, kTurn);
    while (!holds[next].load(std::memory_order_acquire))
      std::this_thread::yield();
    return waiters[next++].told;
  }
  ~SleepersOfALock() {
    for (uint32_t time = 0; next < waiters.size(); time += 2 * kTurn)
      release_at(time);
    for (std::thread& each : threads)
      each.join();
  }

private:
  uint32_t asleep() {
    queue.lock.lock();
    uint32_t count = queue.count_of(&lock);
    queue.lock.unlock();
    return count;
  }

  TurnQueue queue;
  TurnLock lock;
  std::deque<Waiter> waiters;
  std::deque<std::atomic<bool>> holds;
  std::deque<std::thread> threads;
  std::size_t next = 0;
};

TEST(TurnLock, FewSleepersWaitForAWholeTurn) {
  SleepersOfALock few(4);
  EXPECT_EQ(few.release_at(kTurn), TurnSleeper::kHanded);
  EXPECT_EQ(few.release_at(2 * kTurn - 1), TurnSleeper::kCalled);
}

TEST(TurnLock, TheNextTurnOfFewIsOverAfterAsLong) {
  SleepersOfALock few(4);
  EXPECT_EQ(few.release_at(kTurn), TurnSleeper::kHanded);
  EXPECT_EQ(few.release_at(2 * kTurn), TurnSleeper::kHanded);
}

TEST(TurnLock, ManySleepersHaveTheShortestTurns) {
  SleepersOfALock many(TurnLock::kShortest * TurnLock::kFewSleepers);
  EXPECT_EQ(many.release_at(kTurn), TurnSleeper::kHanded);
  uint32_t end = kTurn + kTurn / TurnLock::kShortest;
  EXPECT_EQ(many.release_at(end), TurnSleeper::kHanded);
  EXPECT_EQ(many.release_at(end + 1), TurnSleeper::kCalled);
}

TEST(TurnLock, TwiceAsManyAsFewHaveHalfATurn) {
  SleepersOfALock sleepers(2 * TurnLock::kFewSleepers + 1); // one of them is woken first
  EXPECT_EQ(sleepers.release_at(kTurn - 1), TurnSleeper::kCalled);
  uint32_t begun = kTurn - 1, tenth = kTurn / 10;
  EXPECT_EQ(sleepers.release_at(begun + kTurn / 2 + tenth), TurnSleeper::kHanded);
}

/// Sleepers of one lock, of whom one lies on the processor 1.
class TurnQueueByProcessor : public testing::Test {
protected:
  TurnQueueByProcessor() {
    queue.lock.lock();
    for (TurnSleeper& each : sleepers) {
      each.lock = this;
      each.processor = 0;
      queue.push_back(each);
    }
  }
  ~TurnQueueByProcessor() override { queue.lock.unlock(); }

  TurnQueue queue;
  TurnSleeper sleepers[12];
};

TEST_F(TurnQueueByProcessor, FirstOfThatProcessor) {
  sleepers[2].processor = sleepers[3].processor = 1;
  EXPECT_EQ(queue.first_on(this, 1), &sleepers[2]);
  EXPECT_EQ(queue.first_on(this, 0), &sleepers[0]);
}

TEST_F(TurnQueueByProcessor, FirstOfAllWhereNobodyFellAsleepThere) {
  EXPECT_EQ(queue.first_on(this, 1), &sleepers[0]);
  EXPECT_EQ(queue.first_on(&queue, 1), nullptr);
}

TEST_F(TurnQueueByProcessor, WhoCameMuchLaterIsNotLookedFor) {
  sleepers[11].processor = 1;
  EXPECT_EQ(queue.first_on(this, 1), &sleepers[0]);
}

TEST_F(TurnQueueByProcessor, TheOldestIsPassedOverThreeTimesAtMost) {
  sleepers[2].processor = 1;
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(queue.first_on(this, 1), &sleepers[2]);
  EXPECT_EQ(queue.first_on(this, 1), &sleepers[0]);
}

/// Claims the lock that it looks at, and is away from then on.
struct Claimant : Waiter {
  bool looks() {
    if (looked++ > 0) {
      away.store(true, std::memory_order_release);
      while (!back.load(std::memory_order_acquire))
        std::this_thread::yield();
    }
    return true;
  }
  static bool may_claim() { return true; }
  int looked = 0;
  std::atomic<bool> away{false}, back{false};
};

/// Hesitates a few times; falls asleep only if the lock is kept from it.
struct Overtaker : Waiter {
  explicit Overtaker(Claimant& claimant) : claimant(claimant) {}
  bool overtakes() { return ++hesitated > kHesitations; }
  void sleeps() {
    slept = true;
    claimant.back.store(true, std::memory_order_release);
    Waiter::sleeps();
  }
  static constexpr int kHesitations = 3;
  Claimant& claimant;
  int hesitated = 0;
  bool slept = false;
};

TEST(TurnLock, WhoHasClaimedItAndDoesNotComeIsOvertaken) {
  TurnQueue queue;
  TurnLock lock;
  Claimant claimant;
  auto release = [&] { lock.release(queue, [] { return 0; }, kTurn); };
  ASSERT_TRUE(lock.try_at_once());
  std::thread other([&] {
    lock.acquire(queue, claimant);
    release();
  });
  while (!claimant.away.load(std::memory_order_acquire))
    std::this_thread::yield();
  release();
  EXPECT_FALSE(lock.try_acquire(queue)); // it is claimed
  Overtaker overtaker(claimant);
  lock.acquire(queue, overtaker);
  EXPECT_FALSE(overtaker.slept);
  EXPECT_EQ(overtaker.hesitated, Overtaker::kHesitations + 1);
  release();
  EXPECT_FALSE(lock.try_acquire(queue)); // the claim is still there
  EXPECT_FALSE(lock.try_at_once());
  claimant.back.store(true, std::memory_order_release);
  other.join();
  EXPECT_TRUE(lock.try_acquire(queue));
}

TEST(TurnLock, ABitOfAnAncestorsQueueIsForgotten) {
  TurnQueue queue, of_child;
  TurnLock lock;
  Waiter waiter;
  ASSERT_TRUE(lock.try_at_once());
  std::thread of_parent([&] { lock.acquire(queue, waiter); });
  for (uint32_t count = 0; count == 0; std::this_thread::yield()) {
    queue.lock.lock();
    count = queue.count_of(&lock);
    queue.lock.unlock();
  }
  lock.release(of_child, [] { return 0; }, kTurn);
  EXPECT_TRUE(lock.try_acquire(of_child));
  waiter.sleeper.tell(TurnSleeper::kHanded);
  of_parent.join();
}

/// Has been called, and gets no processor for a while.
struct Late : Waiter {
  void sleeps() {
    sleeper.sleep();
    while (!runs.load(std::memory_order_acquire))
      std::this_thread::yield();
    told = sleeper.news.load(std::memory_order_relaxed);
  }
  std::atomic<bool> runs{false};
};

/// Comes at a certain time, and has the lock released when it looks at it.
template <class Release> struct Comer : Waiter {
  Comer(uint32_t time, Release release) : time(time), release(release) {}
  bool looks() {
    release();
    return true;
  }
  void sleeps() {
    slept = true;
    Waiter::sleeps();
  }
  uint32_t now() const { return time; }
  uint32_t time;
  Release release;
  bool slept = false;
};

/// One sleeper more, so that there is somebody to change places with.
void comes_while_one_is_on_its_way(uint32_t time) {
  TurnQueue queue;
  TurnLock lock;
  Late late;
  Waiter next;
  auto release = [&] { lock.release(queue, [] { return 1; }, kTurn); };
  auto sleeps = [&](auto& waiter, uint32_t asleep) {
    std::thread thread([&] {
      lock.acquire(queue, waiter);
      release();
    });
    for (uint32_t count = 0; count < asleep; std::this_thread::yield()) {
      queue.lock.lock();
      count = queue.count_of(&lock);
      queue.lock.unlock();
    }
    return thread;
  };
  ASSERT_TRUE(lock.try_at_once());
  std::thread first = sleeps(late, 1), second = sleeps(next, 2);
  release(); // calls
  ASSERT_TRUE(lock.try_acquire(queue));
  Comer comer(time, release);
  lock.acquire(queue, comer);
  EXPECT_FALSE(comer.slept) << "its processor would be idle";
  late.runs.store(true, std::memory_order_release);
  release();
  first.join();
  second.join();
  EXPECT_TRUE(lock.try_acquire(queue));
}

TEST(TurnLock, WhoComesLooksAtItWhileOneThatWasCalledIsOnItsWay) {
  comes_while_one_is_on_its_way(2);
}

TEST(TurnLock, NobodyLeavesForASecondOneWhileTheFirstIsOnItsWay) {
  comes_while_one_is_on_its_way(2 * kTurn);
}

/// As a release that has not seen who falls asleep: only its store.
void free_byte_of(TurnLock& lock) {
  __atomic_store_n(reinterpret_cast<uint8_t*>(&lock), uint8_t{0}, __ATOMIC_RELEASE);
}

/// The lock comes free, unseen, when it is in the queue and does not sleep yet.
struct MissedByRelease : Waiter {
  explicit MissedByRelease(TurnLock& lock) : lock(lock) {}
  int processor() const {
    free_byte_of(lock);
    return 0;
  }
  static void sleeps() { ADD_FAILURE() << "nobody would wake it"; }
  TurnLock& lock;
};

TEST(TurnLock, WhoFallsAsleepBesideAReleaseTakesTheLock) {
  if (!has_asymmetric_fence())
    GTEST_SKIP() << "the kernel has no membarrier";
  TurnQueue queue;
  TurnLock lock;
  MissedByRelease waiter(lock);
  ASSERT_TRUE(lock.try_at_once());
  lock.acquire(queue, waiter);
  EXPECT_TRUE(lock.is_held());
  EXPECT_FALSE(queue.has_sleepers());
  EXPECT_TRUE(lock.release_at_once(queue)); // nobody is left in the word
}

/// Naps, as where the kernel has no membarrier, and the lock comes free meanwhile, unseen.
struct Napper : Waiter {
  explicit Napper(TurnLock& lock) : lock(lock) {}
  void sleeps() {
    ++naps;
    free_byte_of(lock);
  }
  TurnLock& lock;
  int naps = 0;
};

TEST(TurnLock, WhoHasNappedLooksWhetherTheLockIsFree) {
  TurnQueue queue;
  TurnLock lock;
  Napper waiter(lock);
  ASSERT_TRUE(lock.try_at_once());
  lock.acquire(queue, waiter);
  EXPECT_EQ(waiter.naps, 1);
  EXPECT_TRUE(lock.is_held());
  EXPECT_FALSE(queue.has_sleepers());
}

/// A lock that was released at once while somebody fell asleep in its queue, for one lock or the
/// other.
class ReleaseBesideASleeper : public testing::Test {
protected:
  bool releases_beside_sleeper_of(const TurnLock& wanted) {
    EXPECT_TRUE(lock.try_at_once());
    sleeper.lock = &wanted;
    queue.lock.lock();
    queue.push_back(sleeper);
    queue.lock.unlock();
    return lock.release_at_once(queue);
  }
  TurnQueue queue;
  TurnLock lock, other;
  TurnSleeper sleeper;
};

TEST_F(ReleaseBesideASleeper, OfAnotherLockItEnds) {
  EXPECT_TRUE(releases_beside_sleeper_of(other));
  EXPECT_FALSE(lock.is_held());
}

TEST_F(ReleaseBesideASleeper, OfTheSameLockItTakesItBackToWakeIt) {
  EXPECT_FALSE(releases_beside_sleeper_of(lock));
  EXPECT_TRUE(lock.is_held());
}

/// Looks until it has the lock.
struct Looker : Waiter {
  bool looks() {
    looking.store(true, std::memory_order_release);
    return true;
  }
  std::atomic<bool> looking{false};
};

TEST(TurnLock, AReleaseBesideOneThatLooksIsAtOnce) {
  TurnQueue queue;
  TurnLock lock;
  Looker looker;
  ASSERT_TRUE(lock.try_at_once());
  std::thread other([&] {
    lock.acquire(queue, looker);
    EXPECT_TRUE(lock.release_at_once(queue));
  });
  while (!looker.looking.load(std::memory_order_acquire))
    std::this_thread::yield();
  EXPECT_TRUE(lock.release_at_once(queue));
  other.join();
  EXPECT_FALSE(lock.is_held());
  EXPECT_FALSE(lock.release_at_once(queue)) << "of a lock that nobody holds";
}

} // namespace
} // namespace xomp::sys
