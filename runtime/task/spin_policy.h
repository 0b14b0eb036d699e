// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a waiting worker passes its time before it sleeps. Spinning pays when the wait is shorter
// than a sleep and a wake-up, and only burns a processor when whoever is waited for is not running
// itself. A worker learns which of the two it lives in: a wait that had to sleep halves its limit;
// one that ended before sets it to twice what that took. Two workers that wait for each other would
// stay with the shortest limit for ever, because each wait then contains the other's wake-up, so
// now and then a wait probes with a longer one.
//
// With more threads than processors (`TaskTeam::crowded`) a thread that is waited for has most
// likely no processor. Then the worker yields its own almost at once, again and again, since giving
// it to a thread that is ready costs a fraction of a sleep and a wake-up; how long, it learns in
// the same manner. A yield that takes long has met a thread that computes, of this program or
// another. The time that it took cost nothing and is not counted; a sleeper would be woken for the
// next task and then take the processor from one that computes, in the middle of a task that others
// wait for. (So it is with short phases: the sparse LU of bench/ lost a tenth.) But what is waited
// for may be far off, and kernels let those that yield wait longer than those that wake up, so a
// worker that has met a few such threads in one wait sleeps. Where other programs are known to
// compute (task/external_load.h) one is enough, and the waits after it sleep without a yield.
//
// The wait for the next region learns otherwise: task/pause_policy.h.
// Limits given by OMP_WAIT_POLICY or GOMP_SPINCOUNT are kept to the letter.
#pragma once
#include <algorithm>
#include <cstdint>

#include "conf/settings.h"
#include "sys/clock.h"
#include "sys/cpu.h"
#include "sys/relaxed.h"
#include "sys/ticks.h"
#include "task/worker.h"

namespace xomp {

/// How long a wait yields its processor, all in ticks.
class Yielding {
public:
  // Some 40 microseconds, some 400, a millisecond.
  static constexpr int64_t kLeast = 100 * sys::kTicksOfHandOver;
  static constexpr int64_t kProbe = 10 * kLeast;
  static constexpr int64_t kMost = 25 * kLeast;
  static constexpr int64_t kLong = 5 * kLeast; ///< of one yield
  static constexpr int kMostLong = 4, kMostLongUnderLoad = 1;

  explicit Yielding(int64_t limit) : limit(limit) {}
  bool allowed() const { return limit > 0; }

  /// Whether it is to yield once more. `external_load`: other programs compute here.
  bool more(int64_t now, bool external_load) {
    if (!since)
      since = now;
    return now - since <= limit && long_ones < (external_load ? kMostLongUnderLoad : kMostLong);
  }
  /// Whether that was a long one.
  bool yielded(int64_t took) {
    if (took <= kLong)
      return false;
    since += took;
    ++long_ones;
    return true;
  }
  /// The wait, or what is left of it, begins anew.
  void renew() {
    since = 0;
    long_ones = 0;
  }
  /// How long it has taken without a renewal, but for the long yields in it.
  int64_t took(int64_t now) const { return now - since; }

private:
  int64_t limit;
  int64_t since = 0;
  int long_ones = 0;
};

class SpinPolicy {
public:
  static constexpr int64_t kLeast = 100;  ///< some 5 microseconds
  static constexpr int64_t kProbe = 2000; ///< some 100: several times a wake-up
  static constexpr uint32_t kProbeEvery = 16;
  static constexpr int64_t kLasting = 4096;

  static constexpr int64_t kCrowdedSpins = 8;        ///< before the first yield
  static constexpr uint32_t kWaitsWithoutYield = 63; ///< waits after one that met another program

  explicit SpinPolicy(Worker& worker) : SpinPolicy(worker, worker.spin_history) {}
  /// `most`: rounds of spinning where the worker may spin for longer.
  SpinPolicy(Worker& worker, SpinHistory& spin_history, int64_t most = INT64_MAX)
      : worker(worker), spin_history(spin_history),
        limit(std::min(worker.tasks->spin_count(), most)) {
    crowded =
        sys::load_relaxed(settings.yields) && worker.tasks->crowded.load(std::memory_order_relaxed);
    if (!sys::load_relaxed(settings.spin_adapts)) {
      yielding = Yielding(crowded ? Yielding::kMost : 0);
      return;
    }
    bool probe = ++spin_history.waits % kProbeEvery == 0;
    if (crowded)
      limit = std::min(limit, kCrowdedSpins);
    if (crowded && spin_history.waits_without_yield > 0 && worker.tasks->external_load.present()) {
      --spin_history.waits_without_yield;
      return;
    }
    learnt = crowded ? &spin_history.yield_limit : &spin_history.spin_limit;
    int64_t longer = crowded ? Yielding::kProbe : kProbe;
    probing = probe && *learnt < longer;
    int64_t most_now = probing ? longer : *learnt;
    if (crowded)
      yielding = Yielding(most_now);
    else
      limit = std::min(limit, most_now);
  }
  ~SpinPolicy() {
    if (!learnt)
      return;
    int64_t took = std::max(spins, longest);
    if (!slept)
      *learnt = std::max(*learnt, std::min(2 * took, crowded ? Yielding::kMost : INT64_MAX));
    else if (!probing)
      *learnt = std::max(*learnt / 2, crowded ? Yielding::kLeast : kLeast);
  }
  SpinPolicy(const SpinPolicy&) = delete;
  SpinPolicy& operator=(const SpinPolicy&) = delete;

  /// One round. False: it is time to sleep.
  bool spin() {
    if (spins >= limit)
      return yielding.allowed() && yield();
    ++spins;
    sys::pause();
    return true;
  }
  /// Now and then while there is nothing to do for long, as in a wait that never sleeps.
  bool lasts() const { return spins % kLasting == kLasting - 1; }
  /// There was something to do.
  void renew() {
    longest = std::max(longest, spins);
    spins = 0;
    yielding.renew();
  }
  /// Sleeps until rung.
  void sleep() {
    // In strict mode somebody has to see when a domain takes no tasks any more
    // (sched/papers/mts.cc).
    constexpr int64_t kStrictly = 250'000'000; // nanoseconds
    sleeps();
    if (settings.locality == LocalityMode::kStrict)
      worker.bell.sleep_at_most(kStrictly);
    else
      worker.bell.sleep();
    wakes();
    yielding.renew();
  }
  /// The worker is about to sleep, and awake again: here, or in what waits with this policy.
  void sleeps() {
    slept = true;
    ++worker.counters.sleeps;
    if (crowded)
      worker.tasks->external_load.falls_asleep();
  }
  void wakes() {
    if (crowded)
      worker.tasks->external_load.wakes();
  }

private:
  [[gnu::noinline]] bool yield() {
    int64_t now = sys::ticks();
    ExternalLoad& external_load = worker.tasks->external_load;
    bool more = yielding.more(now, external_load.present());
    longest = std::max(longest, yielding.took(now));
    if (!more)
      return false;
    sys::yield();
    if (!yielding.yielded(sys::ticks() - now))
      return true;
    // A member that is parked may be given another size meanwhile.
    external_load.look(sys::nanoseconds, sys::process_nanoseconds, sys::load_relaxed(worker.count),
                       settings.processors);
    if (external_load.present())
      spin_history.waits_without_yield = kWaitsWithoutYield;
    return true;
  }

  Worker& worker;
  SpinHistory& spin_history;
  Yielding yielding{0}; ///< after spinning

protected:
  int64_t* learnt = nullptr; ///< of the history, to which this wait adds; null: to nothing
  int64_t limit;             ///< rounds of spinning
  int64_t spins = 0;
  int64_t longest = 0; ///< without a renewal: rounds, or ticks of yielding
  bool crowded = false, probing = false, slept = false;
};

} // namespace xomp
