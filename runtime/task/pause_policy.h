// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a worker passes the pause between two regions. It has nothing to do for its length: to be
// awake when it is over costs as much as the pause, to be woken some 30 microseconds. Pauses of
// about a millisecond are waited for awake where they come again and again: longer probes find that
// out, and each one in vain doubles the number of pauses until the next. So does each at which the
// waiter loses its processor: it is in the way of one that has more to do. Each wait awake and
// undisturbed takes a sixteenth off that number: eleven make up for one of these. In a crowded team
// it waits as for everything else.
#pragma once
#include <algorithm>
#include <utility>

#include "task/spin_policy.h"

namespace xomp {

class PausePolicy : public SpinPolicy {
public:
  static constexpr int64_t kShortProbe = 4000; ///< rounds: some 100 microseconds
  static constexpr uint32_t kShortProbeEvery = 16;
  static constexpr int64_t kLonger = 4;                    ///< times the usual limit: some 2 ms
  static constexpr uint32_t kMostBetweenLongProbes = 1024; ///< waits

  explicit PausePolicy(Worker& worker) : SpinPolicy(worker, worker.pauses), history(worker.pauses) {
    if (!learns())
      return;
    limit = most = worker.task_team->spin_count() * kLonger;
    probes_long = static_cast<int32_t>(history.waits - history.next_long_probe) >= 0;
    int64_t probe = probes_long ? limit : history.waits % kShortProbeEvery == 0 ? kShortProbe : 0;
    probing = history.spin_limit < probe;
    limit = std::min(limit, std::max(history.spin_limit, probe));
  }
  ~PausePolicy() {
    if (!watch.is_on())
      return;
    if (learns())
      learn_of_pause();
    // It has learnt what SpinPolicy learns otherwise.
    learnt = nullptr;
    watch = SpinWatch();
  }
  PausePolicy(const PausePolicy&) = delete;
  PausePolicy& operator=(const PausePolicy&) = delete;

  void renew() {
    // There was a task: this is a wait for tasks from here on, no pause.
    if (watch.is_on())
      limit = std::max(limit, std::min(kLeastLearnt, sys::load_relaxed(settings.spin_count)));
    SpinPolicy::renew();
  }

private:
  bool learns() const { return watch.is_on() && learnt; }
  void learn_of_pause() {
    uint32_t& every = history.long_probes_every;
    if (watch.was_in_the_way() || (probes_long && slept()))
      every = std::min(2 * every, kMostBetweenLongProbes);
    else if (!slept() && std::max(spins, longest) > kShortProbe)
      every -= every / 16;
    if (watch.was_in_the_way() || probes_long)
      history.next_long_probe = history.waits + every;
    // Whether longer ones are worth it the probes say: it may have been in the way in earlier ones.
    if (slept())
      longest = INT64_MAX;
    if (watch.was_in_the_way())
      history.spin_limit = kInTheWay;
    else
      learn(kInTheWay);
  }

  PauseHistory& history;
  bool probes_long = false;
};

} // namespace xomp
