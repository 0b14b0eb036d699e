// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long an idle worker spins before it sleeps. Spinning pays when the wait is shorter than a
// sleep and a wake-up, and only burns a processor when whoever is waited for is not running itself.
// A worker learns which of the two it lives in: a wait that had to sleep halves its limit; one that
// ended while spinning sets it to twice what that took. Two workers that wait for each other would
// stay with the shortest limit for ever, because each wait then contains the other's wake-up, so
// now and then a wait probes with a longer one. Limits given by OMP_WAIT_POLICY or GOMP_SPINCOUNT
// are kept to the letter.
#pragma once
#include <algorithm>

#include "sys/cpu.h"
#include "task/worker.h"

namespace xomp {

class Patience {
public:
  static constexpr int64_t kLeast = 100;  ///< some 5 microseconds
  static constexpr int64_t kProbe = 2000; ///< some 100: several times a wake-up
  static constexpr uint32_t kProbeEvery = 16;
  static constexpr int64_t kLasting = 4096;

  explicit Patience(Worker& worker) : worker(worker), limit(worker.tasks->spin_count) {
    if (!settings.spin_adapts)
      return;
    int64_t learnt = worker.spin_limit;
    probing = learnt < kProbe && ++worker.waits % kProbeEvery == 0;
    limit = std::min(limit, probing ? kProbe : learnt);
  }
  ~Patience() {
    if (!settings.spin_adapts)
      return;
    if (!slept)
      worker.spin_limit = std::max(worker.spin_limit, 2 * std::max(spins, longest));
    else if (!probing)
      worker.spin_limit = std::max(worker.spin_limit / 2, kLeast);
  }
  Patience(const Patience&) = delete;
  Patience& operator=(const Patience&) = delete;

  /// One round. False: it is time to sleep.
  bool spin() {
    if (spins >= limit)
      return false;
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
  }
  void sleep() {
    slept = true;
    worker.counters.sleeps++;
    // In strict mode somebody has to see when a domain takes no tasks any more (sched/mts.cc).
    constexpr int64_t kStrictly = 250'000'000;
    if (settings.locality == LocalityMode::kStrict)
      worker.bell.sleep_at_most(kStrictly);
    else
      worker.bell.sleep();
  }

private:
  Worker& worker;
  int64_t limit;
  int64_t spins = 0, longest = 0;
  bool slept = false, probing = false;
};

} // namespace xomp
