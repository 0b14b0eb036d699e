// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a waiting worker passes its time before it sleeps: all of it is advice, and nothing that is
// late or wrong costs more than time. Spinning pays when the wait is shorter
// than a sleep and a wake-up, and only burns a processor when whoever is waited for is not running
// itself. A worker learns which of the two it lives in: its limit becomes twice what a wait took,
// if that is more, whether it slept in it or not; a wait longer than any spin that is worth it
// halves the limit. The shortest limit is longer than a sleep and a wake-up: workers that wait for
// each other would stay with a shorter one for ever, because each wait then contains another's
// wake-up, and the more they are the less it helps that one of them tries a longer one. But where
// other programs compute, one that spins may be in the way of whom it waits for, which has the same
// processor, or loses its own to another program and stands behind that for a time slice when it is
// needed; a worker that sleeps at once is given a processor when it is woken. So it hardly spins in
// some waits then, in twice as many each time; each wait that spins on undisturbed takes a
// sixteenth off that number. (What is left of a wait after a task is another one: a program may
// have one region, and a worker spend all of it in the barrier at its end.)
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
#include <sched.h>

#include <algorithm>
#include <cstdint>

#include "conf/settings.h"
#include "sys/clock.h"
#include "sys/cpu.h"
#include "sys/relaxed.h"
#include "sys/ticks.h"
#include "task/short_spins.h"
#include "task/worker.h"

namespace xomp {

/// How long a wait yields its processor, all in ticks.
class Yielding {
public:
  // Some 40 microseconds, some 400, a millisecond.
  static constexpr int64_t kLeastTicks = 100 * sys::kTicksOfHandOver;
  static constexpr int64_t kProbeTicks = 10 * kLeastTicks;
  static constexpr int64_t kMost = 25 * kLeastTicks;
  static constexpr int64_t kLong = 5 * kLeastTicks; ///< of one yield
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
  static constexpr int64_t kLeastLearnt = 4000; ///< some 100 microseconds: several times a wake-up
  static constexpr int64_t kInTheWay = 200;     ///< some 5, where other programs compute
  static constexpr int64_t kTicksOfRound = sys::kTicksOfMicrosecond / 40;
  static constexpr int64_t kLasting = 65536;  ///< some 2 milliseconds
  static constexpr uint32_t kProbeEvery = 16; ///< in a crowded team

  static constexpr int64_t kCrowdedSpins = 8;        ///< before the first yield
  static constexpr uint32_t kWaitsWithoutYield = 63; ///< waits after one that met another program

  explicit SpinPolicy(Worker& worker) : SpinPolicy(worker, worker.spin_history) {}
  /// `most`: rounds of spinning where the worker may spin for longer.
  SpinPolicy(Worker& worker, SpinHistory& spin_history, int64_t most = INT64_MAX)
      : worker(worker), spin_history(spin_history),
        most(std::min(worker.task_team->spin_count(), most)), limit(this->most) {
    crowded = sys::load_relaxed(settings.yields) &&
              worker.task_team->crowded.load(std::memory_order_relaxed);
    if (!sys::load_relaxed(settings.spin_adapts)) {
      yielding = Yielding(crowded ? Yielding::kMost : 0);
      return;
    }
    bool probe = ++spin_history.waits % kProbeEvery == 0;
    if (crowded)
      limit = std::min(limit, kCrowdedSpins);
    if (crowded && spin_history.waits_without_yield > 0 &&
        worker.task_team->external_load.present()) {
      --spin_history.waits_without_yield;
      return;
    }
    if (crowded) {
      learnt = &spin_history.yield_limit;
      probing = probe && *learnt < Yielding::kProbeTicks;
      yielding = Yielding(probing ? Yielding::kProbeTicks : *learnt);
    } else {
      limit = std::min(limit, spin_history.spin_limit);
      watch.begin(worker.short_spins);
      // A short one teaches nothing.
      learnt = watch.is_watching() ? &spin_history.spin_limit : nullptr;
    }
  }
  ~SpinPolicy() {
    end();
    learn(crowded ? Yielding::kLeastTicks : kLeastLearnt);
  }
  SpinPolicy(const SpinPolicy&) = delete;
  SpinPolicy& operator=(const SpinPolicy&) = delete;

  /// One round. False: it is time to sleep.
  bool spin() {
    if (spins >= limit || (spins >= kInTheWay && !watch.spins_on()))
      return yielding.allowed() && yield();
    ++spins;
    sys::pause();
    return true;
  }
  /// It gives its processor away, in place of spinning.
  bool yields() const { return crowded && spins >= limit; }
  /// Now and then while there is nothing to do for long, as in a wait that never sleeps.
  bool lasts() {
    if (spins < lasting)
      return false;
    lasting = spins + kLasting;
    return true;
  }
  /// There was something to do. What is left is a wait of its own, but for what is learnt of how
  /// long waits take.
  void renew() {
    bool watched = watch.is_on();
    end();
    longest = std::max(longest, spins + rounds_asleep);
    spins = rounds_asleep = 0;
    if (watched)
      watch.begin(worker.short_spins);
    lasting = kLasting;
    yielding.renew();
  }
  /// Sleeps until rung.
  void sleep() {
    // In strict mode somebody has to see when a domain takes no tasks any more
    // (sched/papers/mts.cc).
    constexpr int64_t kStrictly = 250'000'000; // nanoseconds
    sleeps();
    int processor = watch.is_watching() ? sched_getcpu() : -1;
    if (settings.locality == LocalityMode::kStrict)
      worker.bell.sleep_at_most(kStrictly);
    else
      worker.bell.sleep();
    // Whoever ended the wait could not run while this one spun.
    if (watch.is_watching() && worker.bell.was_rung_on(processor))
      watch.set_in_the_way();
    wakes();
    yielding.renew();
  }
  /// The worker is about to sleep, and awake again: here, or in what waits with this policy.
  void sleeps() {
    fell_asleep = sys::ticks();
    ++worker.counters.sleeps;
    if (crowded)
      worker.task_team->external_load.falls_asleep();
  }
  void wakes() {
    rounds_asleep += (sys::ticks() - fell_asleep) / kTicksOfRound;
    if (crowded)
      worker.task_team->external_load.wakes();
  }

private:
  void end() { watch.end(worker.short_spins, rounds_asleep == 0 && spins > kInTheWay); }
  [[gnu::noinline]] bool yield() {
    int64_t now = sys::ticks();
    ExternalLoad& external_load = worker.task_team->external_load;
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
  Yielding yielding{0};       ///< after spinning
  int64_t lasting = kLasting; ///< rounds at which it lasts next

protected:
  bool slept() const { return fell_asleep != 0; }
  /// From this wait, which is over; `least`: the shortest limit.
  void learn(int64_t least) {
    if (!learnt)
      return;
    int64_t took = std::max(crowded ? spins : spins + rounds_asleep, longest);
    // In a crowded team who sleeps has yielded before for as long as is worth it.
    if (crowded ? !slept() : took <= most)
      *learnt = std::max(*learnt, std::min(2 * took, crowded ? Yielding::kMost : most));
    else if (!probing)
      *learnt = std::max(*learnt / 2, least);
    learnt = nullptr;
  }

  int64_t* learnt = nullptr; ///< of the history, to which this wait adds; null: to nothing
  int64_t most;              ///< rounds of spinning that are ever worth it
  int64_t limit;             ///< rounds of spinning
  int64_t spins = 0;
  int64_t fell_asleep = 0;   ///< when; 0: not yet
  int64_t rounds_asleep = 0; ///< rounds that it could have spun meanwhile
  int64_t longest = 0;       ///< without a renewal: rounds, or ticks of yielding
  bool crowded = false, probing = false;
  SpinWatch watch; ///< on: spins for as long as it has learnt
};

// What a worker begins with (task/worker.h).
static_assert(SpinHistory().spin_limit == SpinPolicy::kLeastLearnt);
static_assert(SpinHistory().yield_limit == Yielding::kProbeTicks);

} // namespace xomp
