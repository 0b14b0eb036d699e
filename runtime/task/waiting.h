// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loop of every wait that is a task scheduling point: run what may be run, spin, then sleep on
// the worker's bell (sys/README.md). Whoever can make `done` true rings the bell afterwards.
#pragma once
#include "events/events.h"
#include "task/frame.h"
#include "task/patience.h"
#include "task/run.h"
#include "task/steal.h"
#include "task/wake.h"

namespace xomp {

/// Whether the worker counts among the hungry: its search has been in vain for a while.
class Hunger {
public:
  explicit Hunger(Worker& worker) : worker(worker) {}
  ~Hunger() { satisfied(); }
  Hunger(const Hunger&) = delete;
  Hunger& operator=(const Hunger&) = delete;

  void looked_in_vain() {
    constexpr int kWhile = 32; // looks: some microseconds
    if (++looks == kWhile)
      begins();
  }
  /// It is about to sleep, perhaps after very few looks.
  void sleeps() { begins(); }
  void satisfied() {
    XOMP_ASSERT(!hungry || worker.tasks->hungry.load(std::memory_order_relaxed) > 0);
    if (hungry)
      worker.tasks->hungry.fetch_sub(1, std::memory_order_relaxed);
    hungry = false;
    looks = 0;
  }

private:
  void begins() {
    if (!hungry)
      worker.tasks->hungry.fetch_add(1, std::memory_order_relaxed);
    hungry = true;
  }

  Worker& worker;
  int looks = 0;
  bool hungry = false;
};

/// What a wait has found to run: one of these.
struct Found {
  Slot* own = nullptr;          ///< a frame on top of the worker's stack
  DeferredTask* task = nullptr; ///< claimed
  Slot* stolen = nullptr;       ///< the mark above which stolen tasks lie

  explicit operator bool() const { return own || task || stolen; }
  /// Whether that is what the worker was called for.
  bool answers(const Call& call) const {
    return task ? call.means(*task) : stolen && call.means(family_of_stolen(stolen));
  }
};

inline Found find(Worker& worker, Search& search) {
  Found found;
  Family* family = family_of_current(worker);
  search.scope.family = family;
  found.own = claim_own(worker);
  if (!found.own)
    found.task = next_task(worker, family, search);
  if (!found.own && !found.task)
    found.stolen = steal(worker, search);
  return found;
}

inline void run(Worker& worker, const Found& found) {
  if (found.own)
    run_own(worker, found.own);
  else if (found.task)
    launch(worker, *found.task);
  else
    run_stolen(worker, found.stolen);
}

/// Runs what may be run until `done`. `done` is called often and may do the waiter's own part of
/// the work. `anything`: as in Scope; the wait is a barrier's.
template <class Done> void wait_until(Worker& worker, bool anything, Done done) {
  XOMP_ASSERT(self == &worker);
  if (done())
    return;
  Patience patience(worker);
  Hunger hunger(worker);
  trace::Stalling stalling;
  Search search;
  search.scope = Scope{nullptr, anything};
  auto look = [&](bool pass_on) {
    search.pass_on = pass_on;
    Found found = find(worker, search);
    if (!found) {
      stalling.looked_in_vain(worker.track);
      hunger.looked_in_vain();
      if (worker.count > 1 && worker.policy->found_nothing)
        worker.policy->found_nothing(worker, pass_on);
    }
    return found;
  };
  auto go_on_with = [&](const Found& found) {
    worker.bell.cancel();
    hunger.satisfied();
    stalling.ends(worker.track);
    run(worker, found);
    patience.renew();
  };
  Call call; // by somebody who relies on this worker
  // A look at everything has found something, and goes on until one is in vain: a short one may
  // see nothing but children that cannot be started for long.
  bool thorough = false;
  do {
    thorough = thorough || call || patience.lasts();
    if (Found found = look(thorough)) {
      if (!found.answers(call))
        pass_on(worker, call);
      call = Call();
      go_on_with(found);
      continue;
    }
    call = Call();
    thorough = false;
    if (patience.spin())
      continue;
    worker.bell.prepare();
    if (done()) {
      worker.bell.cancel();
      return stalling.ends(worker.track);
    }
    hunger.sleeps();
    stalling.sleeps(worker.track);
    lie_down(worker, search.scope);
    Found found = look(true);
    if (!found)
      patience.sleep();
    call = get_up(worker, search.scope);
    if (!found)
      continue;
    // Called as well: that was for another one.
    pass_on(worker, call);
    call = Call();
    thorough = true;
    go_on_with(found);
  } while (!done());
  stalling.ends(worker.track);
  pass_on(worker, call);
}

/// Whether `done` comes true within a microsecond or two. Where the worker's tasks are small, those
/// that thieves took are over before anything else would be found.
template <class Done> bool in_a_moment(const Worker& worker, Done done) {
  constexpr int kRounds = 32;
  constexpr int64_t kSmall = 10 * sys::kTicksOfMicrosecond;
  if (worker.count == 1 || worker.mean.load(std::memory_order_relaxed) > kSmall)
    return false;
  for (int i = 0; i < kRounds; ++i) {
    if (done())
      return true;
    sys::pause();
  }
  return false;
}

/// Waits for `done` without running anything.
template <class Done> void wait_quietly(Worker& worker, Done done) {
  if (done())
    return;
  Patience patience(worker);
  do {
    if (patience.spin())
      continue;
    worker.bell.prepare();
    if (done())
      return worker.bell.cancel();
    patience.sleep();
  } while (!done());
}

/// A wait inside a task: only descendants of the current task may be started (task scheduling
/// constraint, OpenMP 5.2, section 12.9).
template <class Done> void wait_in_task(Worker& worker, Done done) {
  wait_until(worker, false, done);
}

} // namespace xomp
