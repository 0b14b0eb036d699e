// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who waits for a thread of lower priority lets it run. Naive version: sched_yield, which lets only
// threads of the same priority run, for as long as it takes: for ever, on one processor.
// xomp-test: serial=1 timeout=30 skip=tsan
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "sys/brief_lock.h"
#include "sys/short_wait.h"

namespace xomp::sys {
namespace {

bool has_priority(int priority) {
  sched_param parameters{};
  parameters.sched_priority = priority;
  return pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters) == 0;
}

bool on_one_processor() {
  cpu_set_t all, one;
  CPU_ZERO(&one);
  if (sched_getaffinity(0, sizeof all, &all) != 0)
    return false;
  for (int p = 0; p < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++p) {
    if (CPU_ISSET(p, &all))
      CPU_SET(p, &one);
  }
  return sched_setaffinity(0, sizeof one, &one) == 0;
}

/// The calling thread does `low` at a low priority; another one, made in between, does `high` at a
/// high one, which runs at once. False: priorities are not allowed here.
template <class Low, class High> bool at_two_priorities(Low low, High high) {
  bool allowed = true;
  std::thread lower([&] {
    allowed = on_one_processor() && has_priority(10);
    if (!allowed)
      return;
    std::thread higher([&] {
      has_priority(20);
      high();
    });
    low();
    higher.join();
  });
  lower.join();
  return allowed;
}

// Naive version: naps of one length. Hundreds of threads that wait for one that has lost its
// processor wake up so often that it hardly gets one.
TEST(ShortWait, NapsForTwiceAsLongEachTime) {
  constexpr int kBeforeNaps = 200, kNaps = 8;
  ShortWait wait;
  for (int i = 0; i < kBeforeNaps; ++i)
    wait.once();
  auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kNaps; ++i)
    wait.once();
  auto took = std::chrono::steady_clock::now() - begin;
  EXPECT_GE(took, std::chrono::microseconds(50 * ((1 << kNaps) - 1)));
}

TEST(ShortWait, LetsAThreadOfLowerPriorityGoOn) {
  std::atomic<bool> begun{false}, done{false};
  auto low = [&] {
    while (!begun.load(std::memory_order_acquire))
      sched_yield();
    done.store(true, std::memory_order_release);
  };
  auto high = [&] {
    begun.store(true, std::memory_order_release);
    for (ShortWait wait; !done.load(std::memory_order_acquire);)
      wait.once();
  };
  if (!at_two_priorities(low, high))
    GTEST_SKIP() << "no real-time priorities here";
}

TEST(BriefLock, IsReleasedByAHolderOfLowerPriority) {
  BriefLock lock;
  std::atomic<bool> asked{false};
  lock.lock();
  auto low = [&] {
    while (!asked.load(std::memory_order_acquire))
      sched_yield();
    lock.unlock();
  };
  auto high = [&] {
    asked.store(true, std::memory_order_release);
    lock.lock();
    lock.unlock();
  };
  if (!at_two_priorities(low, high))
    GTEST_SKIP() << "no real-time priorities here";
}

} // namespace
} // namespace xomp::sys
