// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether other programs compute on this one's processors. A thread that yields stands behind them
// for a time slice, whatever it waits for; one that sleeps is given the processor soon after it is
// woken (task/spin_policy.h). From inside the two look alike: a yield that takes long may have met
// another program, or a thread of this program in the middle of its work. What tells them apart is
// the processor time of the process: while its threads are enough for all processors, anything less
// than all of these has gone to somebody else. (To a hypervisor or a quota as well, and then too it
// does not pay to yield.) Enough are two for each processor, or all of a smaller team: of threads
// that sleep and are woken the kernel lets some stand behind one another for milliseconds, beside a
// processor that has nothing to do.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>

#include "sys/brief_lock.h"

namespace xomp {

class ExternalLoad {
public:
  /// Nanoseconds. The kernel brings the time of a thread that runs elsewhere up to date at its
  /// ticks, up to 4 milliseconds apart: a shorter window would see too little of it.
  static constexpr int64_t kWindow = 12'000'000;
  /// What was seen longer ago says nothing of now.
  static constexpr int64_t kStale = 200'000'000;

  /// Advice, so relaxed here and below.
  bool present() const { return seen.load(std::memory_order_relaxed); }

  void falls_asleep() {
    int now = sleeping.fetch_add(1, std::memory_order_relaxed) + 1;
    if (now > most_sleeping.load(std::memory_order_relaxed))
      most_sleeping.store(now, std::memory_order_relaxed);
  }
  void wakes() { sleeping.fetch_sub(1, std::memory_order_relaxed); }

  /// By one of so many threads that has just met one that computes: once in a window it judges.
  /// `clock()` gives the nanoseconds that have passed, `processor_time()` those that all threads of
  /// the process have run, together.
  template <class Clock, class ProcessorTime>
  void look(Clock clock, ProcessorTime processor_time, int threads, int processors) {
    if (!lock.try_lock())
      return; // another one looks
    int64_t now = clock();
    int64_t passed = now - begin;
    if (passed >= kWindow) {
      int64_t time = processor_time();
      bool enough = threads - most_sleeping.load(std::memory_order_relaxed) >=
                    std::min(threads, 2 * processors);
      if (passed < kStale && enough) {
        seen.store((time - used) * 5 < passed * processors * 4, std::memory_order_relaxed);
        known = now;
      } else if (now - known >= kStale) {
        seen.store(false, std::memory_order_relaxed);
      }
      begin = now;
      used = time;
      most_sleeping.store(sleeping.load(std::memory_order_relaxed), std::memory_order_relaxed);
    }
    lock.unlock();
  }

  /// In a child of fork, where the other threads are gone.
  void reset_after_fork() {
    sleeping.store(0, std::memory_order_relaxed);
    lock.free_after_fork();
  }

private:
  std::atomic<bool> seen{false};
  std::atomic<int> sleeping{0};
  std::atomic<int> most_sleeping{0}; ///< at once, in the present window; may miss one of two
  int64_t begin = 0, used = 0;       ///< of the window; under the lock
  int64_t known = 0;                 ///< when `seen` was last judged; under the lock
  sys::BriefLock lock;
};

} // namespace xomp
