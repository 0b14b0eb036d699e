// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "locks/locks.h"

#include <gtest/gtest.h>

#include <sched.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "conf/settings.h"
#include "sys/ticks.h"
#include "team/team.h"

namespace xomp {
namespace {

template <class Body> void on_threads(int count, Body body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; i++)
    threads.emplace_back(body, i);
  for (std::thread& thread : threads)
    thread.join();
}

template <class Lock, class Unlock> long contended_sum(Lock lock, Unlock unlock) {
  constexpr int kThreads = 4, kRounds = 20000;
  long sum = 0; // not atomic: only the lock protects it
  on_threads(kThreads, [&](int number) {
    for (int i = 0; i < kRounds; i++) {
      lock(number);
      sum++;
      unlock();
    }
  });
  return sum - long{kThreads} * kRounds;
}

TEST(Mutex, ZeroedMemoryIsAFreeMutex) {
  alignas(Mutex) unsigned char memory[sizeof(Mutex)];
  std::memset(memory, 0, sizeof memory);
  auto* mutex = reinterpret_cast<Mutex*>(memory);
  EXPECT_TRUE(mutex->try_lock());
  EXPECT_FALSE(mutex->try_lock());
  mutex->unlock();
  EXPECT_TRUE(mutex->try_lock());
}

TEST(Mutex, ExcludesWhenSleeping) {
  int64_t before = settings.spin_count;
  settings.spin_count = 0;
  Mutex mutex;
  EXPECT_EQ(contended_sum([&](int) { mutex.lock(); }, [&] { mutex.unlock(); }), 0);
  settings.spin_count = before;
}

TEST(Mutex, ExcludesWhenSpinning) {
  Mutex mutex;
  EXPECT_EQ(contended_sum([&](int) { mutex.lock(); }, [&] { mutex.unlock(); }), 0);
}

// A holder and a waiter on one processor of several: the waiter loses it while it spins.
TEST(Mutex, AWaiterThatWasInTheWayHardlySpinsInTheNextWaits) {
  constexpr int kMost = 100'000;
  Mutex mutex;
  std::atomic<bool> seen{false};
  int processor = sched_getcpu();
  auto pinned = [&](int) {
    cpu_set_t here;
    CPU_ZERO(&here);
    CPU_SET(processor, &here);
    ASSERT_EQ(sched_setaffinity(0, sizeof here, &here), 0);
    ShortSpins& short_spins = me().short_spins;
    for (int i = 0; i < kMost && !seen; ++i) {
      mutex.lock();
      int64_t until = sys::ticks() + 20 * sys::kTicksOfMicrosecond;
      while (sys::ticks() < until)
        continue;
      mutex.unlock();
      if (short_spins.next > ShortSpins::kFewest) {
        EXPECT_GT(short_spins.left, 0U);
        seen = true;
      }
    }
  };
  on_threads(2, pinned);
  EXPECT_TRUE(seen);
}

TEST(Mutex, AnotherThreadMayUnlock) {
  Mutex mutex;
  mutex.lock();
  std::thread([&] { mutex.unlock(); }).join();
  EXPECT_TRUE(mutex.try_lock());
}

TEST(Mutex, AChildOfForkFindsTheProcessLocksFree) {
  unnamed_critical.lock();
  unnamed_atomic.lock();
  repair_locks_after_fork();
  EXPECT_TRUE(unnamed_critical.try_lock());
  EXPECT_TRUE(unnamed_atomic.try_lock());
  repair_locks_after_fork();
}

TEST(NestLock, CountsItsOwnerAndRefusesOthers) {
  NestLock lock;
  int one = 0, other = 0;
  lock.lock(&one);
  EXPECT_EQ(lock.try_lock(&one), 2);
  lock.lock(&one);
  EXPECT_EQ(lock.try_lock(&other), 0);
  lock.unlock();
  lock.unlock();
  EXPECT_EQ(lock.try_lock(&other), 0);
  lock.unlock();
  EXPECT_EQ(lock.try_lock(&other), 1);
}

TEST(NestLock, Excludes) {
  NestLock lock;
  int owners[4] = {};
  auto acquire = [&](int number) {
    lock.lock(&owners[number]);
    lock.lock(&owners[number]);
  };
  auto release = [&] {
    lock.unlock();
    lock.unlock();
  };
  EXPECT_EQ(contended_sum(acquire, release), 0);
}

TEST(ThreadNestLock, BelongsToAThread) {
  ThreadNestLock lock;
  lock.make();
  lock.lock();
  EXPECT_EQ(lock.try_lock(), 2);
  std::thread([&] { EXPECT_EQ(lock.try_lock(), 0); }).join();
  lock.unlock();
  lock.unlock();
  std::thread([&] {
    EXPECT_EQ(lock.try_lock(), 1);
    lock.unlock();
  }).join();
  lock.end();
}

TEST(ThreadNestLock, Excludes) {
  ThreadNestLock lock;
  lock.make();
  EXPECT_EQ(contended_sum([&](int) { lock.lock(); }, [&] { lock.unlock(); }), 0);
  lock.end();
}

} // namespace
} // namespace xomp
