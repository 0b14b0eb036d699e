// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a waiting worker passes its time before it sleeps. Spinning pays when the wait is shorter
// than a sleep and a wake-up, and only burns a processor when whoever is waited for is not running
// itself. A worker learns which of the two it lives in: a wait that had to sleep halves its limit;
// one that ended before sets it to twice what that took. Two workers that wait for each other would
// stay with the shortest limit for ever, because each wait then contains the other's wake-up, so
// now and then a wait probes with a longer one.
//
// With more threads than processors (`TaskTeam::crowded`) somebody who is waited for has most
// likely no processor. Then the worker yields its own almost at once, again and again, since giving
// it to a thread that is ready costs a fraction of a sleep and a wake-up; how long, it learns in
// the same manner. A yield that takes very long has met threads that compute, of this program or
// another: what is waited for is far off, and kernels let those who yield wait longer than those
// who wake up, so the worker sleeps. After one of a millisecond it does not yield in its next
// waits either.
//
// Limits given by OMP_WAIT_POLICY or GOMP_SPINCOUNT are kept to the letter.
#pragma once
#include <algorithm>
#include <cstdint>

#include "conf/settings.h"
#include "sys/cpu.h"
#include "sys/ticks.h"
#include "task/worker.h"

namespace xomp {

class Patience {
public:
  static constexpr int64_t kLeast = 100;  ///< some 5 microseconds
  static constexpr int64_t kProbe = 2000; ///< some 100: several times a wake-up
  static constexpr uint32_t kProbeEvery = 16;
  static constexpr int64_t kLasting = 4096;

  static constexpr int64_t kCrowdedSpins = 8; ///< before the first yield
  // Of yielding, in ticks: some 40 microseconds, some 400, a millisecond.
  static constexpr int64_t kLeastYielding = 100 * sys::kTicksOfHandOver;
  static constexpr int64_t kProbeYielding = 10 * kLeastYielding;
  static constexpr int64_t kMostYielding = 25 * kLeastYielding;
  static constexpr int64_t kLongYield = 5 * kLeastYielding;

  explicit Patience(Worker& worker) : Patience(worker, worker.habit) {}
  /// `most`: rounds of spinning where the worker may spin for longer.
  Patience(Worker& worker, Habit& habit, int64_t most = INT64_MAX)
      : worker(worker), habit(habit),
        limit(std::min(worker.tasks->spin_count.load(std::memory_order_relaxed), most)) {
    bool crowded = settings.yields && worker.tasks->crowded.load(std::memory_order_relaxed);
    if (!settings.spin_adapts) {
      yielding = crowded ? kMostYielding : 0;
      return;
    }
    bool probe = ++habit.waits % kProbeEvery == 0;
    if (crowded && habit.shuns_yields) {
      --habit.shuns_yields;
      crowded = false;
    }
    if (crowded) {
      limit = std::min(limit, kCrowdedSpins);
      probing = probe && habit.yield_limit < kProbeYielding;
      yielding = probing ? kProbeYielding : habit.yield_limit;
    } else {
      probing = probe && habit.spin_limit < kProbe;
      limit = std::min(limit, probing ? kProbe : habit.spin_limit);
    }
  }
  ~Patience() {
    if (!settings.spin_adapts)
      return;
    if (yielding)
      learn(habit.yield_limit, longest_yielding, kLeastYielding, kMostYielding);
    else
      learn(habit.spin_limit, std::max(spins, longest), kLeast, INT64_MAX);
  }
  Patience(const Patience&) = delete;
  Patience& operator=(const Patience&) = delete;

  /// One round. False: it is time to sleep.
  bool spin() {
    if (spins >= limit)
      return yielding && yield();
    ++spins;
    sys::pause();
    return true;
  }
  /// Now and then in a wait that lasts, as one that never sleeps may.
  bool lasts() const { return spins % kLasting == kLasting - 1; }
  /// There was something to do.
  void renew() {
    longest = std::max(longest, spins);
    spins = 0;
    yielding_since = 0;
  }
  /// Sleeps until rung.
  void sleep() {
    // In strict mode somebody has to see when a domain takes no tasks any more (sched/mts.cc).
    constexpr int64_t kStrictly = 250'000'000; // nanoseconds
    sleeps();
    if (settings.locality == LocalityMode::kStrict)
      worker.bell.sleep_at_most(kStrictly);
    else
      worker.bell.sleep();
    yielding_since = 0;
  }
  /// The worker is about to sleep, here or elsewhere.
  void sleeps() {
    slept = true;
    worker.counters.sleeps++;
  }

private:
  [[gnu::noinline]] bool yield() {
    int64_t now = sys::ticks();
    if (!yielding_since) {
      yielding_since = now;
      last_yield = 0;
    }
    longest_yielding = std::max(longest_yielding, now - yielding_since);
    if (now - yielding_since > yielding || last_yield > kLongYield)
      return false;
    sys::yield();
    last_yield = sys::ticks() - now;
    if (last_yield > kMostYielding)
      habit.shuns_yields = kProbeEvery;
    return true;
  }

  void learn(int64_t& learnt, int64_t took, int64_t least, int64_t most) const {
    if (!slept)
      learnt = std::max(learnt, std::min(2 * took, most));
    else if (!probing)
      learnt = std::max(learnt / 2, least);
  }

  Worker& worker;
  Habit& habit;
  int64_t limit;        ///< rounds of spinning
  int64_t yielding = 0; ///< ticks of yielding after that
  int64_t spins = 0, longest = 0;
  int64_t yielding_since = 0, longest_yielding = 0;
  int64_t last_yield = 0; ///< how long it took
  bool slept = false, probing = false;
};

} // namespace xomp
