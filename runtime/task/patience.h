// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long an idle worker spins before it sleeps. Spinning pays when the wait is shorter than a sleep and a
// wake-up, and only burns a processor when whoever is waited for is not running itself. A worker learns which of
// the two it lives in: a wait that had to sleep halves its limit, one that ended while spinning doubles it again,
// up to the team's. Limits given by OMP_WAIT_POLICY or GOMP_SPINCOUNT are kept to the letter.
#pragma once
#include "sys/cpu.h"
#include "task/worker.h"

namespace xomp {

class Patience {
public:
  explicit Patience(Worker& worker) : worker(worker), limit(limit_of(worker)) {}
  ~Patience() {
    if (!settings.spin_adapts) return;
    if (slept) worker.spin_limit = limit / 2 > kLeast ? limit / 2 : kLeast;
    else if (longest > kLeast) worker.spin_limit = limit * 2;
  }
  Patience(const Patience&) = delete;
  Patience& operator=(const Patience&) = delete;

  /// One round. False: it is time to sleep.
  bool spin() {
    if (spins >= limit) return false;
    ++spins;
    sys::pause();
    return true;
  }
  /// There was something to do.
  void renew() {
    if (spins > longest) longest = spins;
    spins = 0;
  }
  void sleep() {
    slept = true;
    worker.counters.sleeps++;
    worker.bell.sleep();
  }

private:
  static constexpr int64_t kLeast = 100;
  static int64_t limit_of(const Worker& worker) {
    int64_t most = worker.tasks->spin_count;
    return settings.spin_adapts && worker.spin_limit < most ? worker.spin_limit : most;
  }

  Worker& worker;
  int64_t limit;
  int64_t spins = 0, longest = 0;
  bool slept = false;
};

} // namespace xomp
