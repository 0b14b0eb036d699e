// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loop of every wait that is a task scheduling point: run what may be run, spin, then sleep on
// the worker's bell (sys/README.md). Whoever can make `done` true rings the bell afterwards.
#pragma once
#include "events/events.h"
#include "sys/assert.h"
#include "sys/short_wait.h"
#include "sys/ticks.h"
#include "task/backoff.h"
#include "task/frame.h"
#include "task/full_frame.h"
#include "task/run.h"
#include "task/spin_policy.h"
#include "task/steal.h"
#include "task/wakeup.h"

namespace xomp {

/// Whether the worker counts among the idle, its search having been in vain for a while, and awake
/// among those on whom creators of small tasks rely (sched/README.md).
class IdleMark {
public:
  IdleMark(Worker& worker, const Scope& scope)
      : worker(worker), searches(scope.anything() && worker.policy->in_place) {}
  ~IdleMark() { found_work(); }
  IdleMark(const IdleMark&) = delete;
  IdleMark& operator=(const IdleMark&) = delete;

  void looked_in_vain() {
    worker.had_task = false;
    if (looks < kWhile && ++looks == kWhile)
      begin();
  }
  /// What it has run was not worth its coming.
  void found_little() {
    looks = kWhile;
    begin();
  }
  /// It is about to sleep, perhaps after very few looks, and looks at everything afterwards.
  void sleeps() {
    if (looks < kWhile) {
      worker.task_team->idle_workers.fetch_add(1, std::memory_order_relaxed);
    } else if (searches) {
      XOMP_ASSERT(worker.task_team->searchers.load(std::memory_order_relaxed) > 0);
      // Sequentially consistent: before the last look (`left_to_searchers`).
      worker.task_team->searchers.fetch_sub(1, std::memory_order_seq_cst);
    }
    looks = kWhile;
  }
  /// It is awake, and looks.
  void wakes() {
    if (searches)
      worker.task_team->searchers.fetch_add(1, std::memory_order_relaxed);
  }
  /// It has found something to run, or its wait is over.
  void found_work() {
    XOMP_ASSERT(looks < kWhile ||
                worker.task_team->idle_workers.load(std::memory_order_relaxed) > 0);
    if (looks == kWhile) {
      worker.task_team->idle_workers.fetch_sub(1, std::memory_order_relaxed);
      if (searches)
        cease_search(worker);
    }
    looks = 0;
  }

private:
  void begin() {
    worker.task_team->idle_workers.fetch_add(1, std::memory_order_relaxed);
    wakes();
  }

  static constexpr int kWhile = 16; ///< looks: some microseconds
  Worker& worker;
  const bool searches;
  int looks = 0;
};

/// What a wait has found to run: one of these.
struct Found {
  /// On the worker's stack: a frame on top, or the mark above which stolen tasks lie.
  Slot* slot = nullptr;
  DeferredTask* task = nullptr; ///< claimed

  explicit operator bool() const { return slot || task; }
  bool is_theft() const { return slot && slot->body == guest_mark; }
  /// Whether that is what the worker was called for.
  bool answers(const WakeReason& reason) const {
    return task ? reason.means(*task) : is_theft() && reason.means(parent_of_stolen(slot));
  }
};

/// Something that the wait is for, or that may lead to it: a child, or what a child has created.
inline Found find_wanted(Worker& worker, Search& search) {
  Found found;
  if (search.wanted) {
    found.task = claim_wanted(worker, search);
    return found;
  }
  found.slot = claim_own_child(worker);
  FullFrame* full_frame = current_full_frame(worker);
  if (!found && full_frame)
    found.task = claim_child(worker, *full_frame, search.few());
  // What a child that runs elsewhere has created.
  if (!found)
    found.slot = steal(worker, search);
  return found;
}

/// Anything else that may be run.
inline Found find(Worker& worker, Search& search) {
  Found found;
  // Under other policies how often it looks is part of the policy.
  if (!search.thorough && all_is_found(worker) &&
      !worker.task_team->has_tasks.load(std::memory_order_relaxed))
    return found;
  if (search.wanted && search.wanted->group)
    found.task = claim_leading(worker, search);
  if (!found) {
    found.slot = claim_own(worker);
    // Nobody knows how long that one takes: others that are busy do not ask for the rest.
    if (found && worker.count > 1 && search.scope.anything() && offers_unknown(worker) &&
        worker.stack.keeps_pending(false))
      worker.stack.expose(true);
  }
  // A wait for children has looked at them, and at what can be stolen of theirs (`find_wanted`).
  if (!found)
    found.task = next_task(worker, search);
  if (!found && (search.scope.anything() || search.wanted))
    found.slot = steal(worker, search);
  return found;
}

/// Whether there is something that the wait is not for, and that may be left to others: it may
/// itself wait for what comes next.
inline bool may_hesitate(Worker& worker, const Search& search) {
  if (!search.has_just_begun() || !all_is_found(worker))
    return false;
  if (search.wanted)
    return search.wanted->group && has_ready(*current_full_frame(worker));
  return has_own(worker) || (worker.policy->queued && worker.policy->queued(worker) > 0);
}

/// What is wanted and runs elsewhere may be over, or create others, in a moment. True: `done`.
template <class Done> bool hesitate(Worker& worker, Search& search, Found& found, Done done) {
  for (sys::ShortWait wait; !found && search.has_just_begun(); search.in_vain += !found) {
    wait.once();
    if (done())
      return true;
    found = find_wanted(worker, search);
  }
  return false;
}

/// In place of a thorough look, which in a large team takes long, by a worker that goes from one
/// task to the next. Nothing: the thorough one is due.
inline Found find_briefly(Worker& worker, Search& search) {
  Found found;
  if (!search.scope.anything() || !all_is_found(worker))
    return found;
  search.thorough = false;
  found = find(worker, search);
  search.thorough = true;
  return found;
}

inline void run(Worker& worker, const Found& found) {
  if (found.task)
    launch(worker, *found.task);
  else if (found.is_theft())
    run_stolen(worker, found.slot);
  else
    run_own(worker, found.slot);
}

/// Waits for `done` without running anything.
template <class Done> void wait_quietly(Worker& worker, Done done) {
  if (done())
    return;
  SpinPolicy spin_policy(worker);
  do {
    if (spin_policy.spin())
      continue;
    worker.bell.prepare();
    if (done())
      return worker.bell.cancel();
    spin_policy.sleep();
  } while (!done());
}

/// Rounds of a wait from one look for something to run to the next: all that are awake and idle
/// look about as often as one alone would. A look takes longer the larger the team is, and reads
/// words that a thread which creates tasks writes; what is waited for is asked for in each round.
/// Under a policy that is not shared the worker finds little but in its own queues, and how often
/// it looks is part of the policy (XOMP_INTERVAL).
inline int rounds_between_looks(const Worker& worker) {
  constexpr int kLeast = 4, kMost = 64;
  return all_is_found(worker) ? std::clamp(2 * worker.task_team->idle_and_awake(), kLeast, kMost)
                              : 1;
}

enum class AfterPause { kLook, kSleep, kOver };

/// Passes the time until the next look, if it is not time to sleep. kOver: `done` came true, and is
/// not to be asked again.
template <class Spinning, class Done>
AfterPause pause_between_looks(const Worker& worker, Spinning& spin_policy, Done done) {
  for (int left = rounds_between_looks(worker); spin_policy.spin();) {
    if (--left == 0 || spin_policy.yields())
      return AfterPause::kLook;
    if (done())
      return AfterPause::kOver;
  }
  return AfterPause::kSleep;
}

/// Runs what may be run until `done`. `done` is called often and may do the waiter's own part of
/// the work.
template <class Spinning = SpinPolicy, class Done>
void wait_until(Worker& worker, Search& search, Done done) {
  XOMP_ASSERT(self == &worker);
  if (done())
    return;
  Spinning spin_policy(worker);
  IdleMark idle(worker, search.scope);
  trace::Stalling stalling;
  auto look = [&] {
    Found found;
    if (!search.scope.anything()) {
      found = find_wanted(worker, search);
      if (!found && may_hesitate(worker, search) && hesitate(worker, search, found, done))
        return found;
    }
    if (!found)
      found = find(worker, search);
    if (!found) {
      ++search.in_vain;
      stalling.looked_in_vain(worker.track);
      idle.looked_in_vain();
      if (worker.policy->found_nothing)
        worker.policy->found_nothing(worker, search.thorough);
    }
    return found;
  };
  auto go_on_with = [&](const Found& found) {
    worker.bell.cancel();
    idle.found_work();
    stalling.ends(worker.track);
    // What the last one made ready was not what comes next: it is for all.
    if (search.wanted && worker.ready_successors && all_is_found(worker))
      show_successors(worker);
    bool theft = found.is_theft(); // afterwards something else may lie in that slot
    if (search.wanted && found.task)
      launch_for_some(worker, *found.task);
    else
      run(worker, found);
    // Tiny ones it leaves to their creator now, who may leave what it has to this worker.
    if (theft && leaves_somebody_alone(worker)) {
      search.thorough = false;
      idle.found_little();
    }
    spin_policy.renew();
  };
  WakeReason reason; // given by a thread that relies on this worker
  do {
    // After a thorough look that found something the next ones are thorough too, until one is in
    // vain: a short one may see only children that cannot start yet.
    search.thorough = search.thorough || reason || spin_policy.lasts();
    Found found = search.thorough && !reason ? find_briefly(worker, search) : Found();
    if (!found)
      found = look();
    if (found) {
      if (!found.answers(reason))
        wake_any(worker, reason);
      reason = WakeReason();
      go_on_with(found);
      continue;
    }
    // Called for a task of a region that this worker has not begun: it takes that along. Asleep as
    // one that could start anything, it would be called for the next task as well, in place of one
    // that can.
    if (reason && !begun(worker)) [[unlikely]] {
      idle.found_work();
      wait_quietly(worker, done);
      break;
    }
    // Where its own wait has ended during the look, that may have been in vain for the task that it
    // was called for: somebody else is called below.
    if (reason && done())
      break;
    reason = WakeReason();
    search.thorough = false;
    AfterPause next = pause_between_looks(worker, spin_policy, done);
    if (next == AfterPause::kOver)
      break;
    if (next == AfterPause::kLook)
      continue;
    worker.bell.prepare();
    if (done()) {
      worker.bell.cancel();
      return stalling.ends(worker.track);
    }
    idle.sleeps();
    stalling.sleeps(worker.track);
    prepare_park(worker, search.scope);
    search.thorough = true;
    // Tiny ones stay with their creator as long as somebody else is there for the one that blocks.
    search.leaves_tiny = search.scope.anything() && leaves_somebody_alone(worker) &&
                         leave_to_searchers(*worker.task_team);
    found = look();
    search.leaves_tiny = false;
    if (!found)
      spin_policy.sleep();
    reason = end_park(worker, search.scope);
    idle.wakes();
    if (reason)
      spin_policy.renew(); // it searches for a while
    if (!found) {
      search.thorough = false;
      continue;
    }
    // If it was called as well, that was for another task.
    wake_any(worker, reason);
    reason = WakeReason();
    go_on_with(found);
  } while (!done());
  stalling.ends(worker.track);
  wake_any(worker, reason);
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

/// A wait inside a task, for its children: only its descendants may be started (task scheduling
/// constraint, OpenMP 5.2, section 12.9).
template <class Done> void wait_in_task(Worker& worker, Done done) {
  Search search{Scope::of(&own_full_frame(worker))};
  wait_until(worker, search, done);
}

/// A wait for some of the current task's children.
template <class Done> void wait_for_some(Worker& worker, const Wanted& wanted, Done done) {
  Search search{Scope::of(current_full_frame(worker)), &wanted};
  wait_until(worker, search, done);
  if (worker.ready_successors && all_is_found(worker))
    show_successors(worker);
  else if (worker.count == 1 && worker.ready_successors)
    forget_successors(worker, *current_full_frame(worker));
}

} // namespace xomp
