// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waking a sleeping worker for a task that any worker can reach. Two kinds sleep: those that could
// start anything, of which one is enough (sched/sleepers.h), and those that wait inside a task and
// may start its descendants only. States and races: sched/README.md.
#pragma once
#include "task/run.h"

namespace xomp {

/// What a sleeper was woken for: a task, or whichever child of a full frame it comes to first.
/// Whoever woke it relies on it, and woke nobody else. The addresses are not followed.
class WakeReason {
public:
  WakeReason() = default;
  explicit WakeReason(uintptr_t word) : word(word) {}
  static WakeReason of(const void* task_or_parent) {
    return WakeReason(reinterpret_cast<uintptr_t>(task_or_parent) | kMade);
  }
  /// For which task is not known, or it has become too late to say.
  static constexpr uintptr_t kUnknown = 1;
  /// Everybody was woken, or the task is in its own queue: none depends on this worker alone.
  static constexpr uintptr_t kNoMatter = 3;
  static constexpr uintptr_t kMade = 1; ///< the lowest bit of every reason

  explicit operator bool() const { return word != 0; }
  /// The worker, once called, has claimed `task` and nothing since it parked.
  bool means(const DeferredTask& task) const {
    return word == of(&task).word || means(task.parent);
  }
  /// The worker has claimed a child of `full_frame`, or none that anybody else relies on.
  bool means(const FullFrame* full_frame) const {
    return word == kNoMatter || word == of(full_frame).word;
  }

  uintptr_t word = 0;
};

/// `worker`, the caller's, has made a child of `full_frame` visible: wakes one that may start it,
/// if possible near `near`. A `small` one, which is over sooner than anybody has come for it, may
/// be left to those that search.
void wake_for(Worker& worker, const Worker& near, const FullFrame& full_frame, bool small = false);

/// It has pushed a task onto its stack: as `wake_for` the current task's child.
void wake_for_own(Worker& worker, bool small);

/// Whether a sleeper is to be woken for a task that was made visible before; passes a fence. A
/// `small` one is noted for the searchers (`left_to_searchers`) where anybody sleeps: while there
/// are searchers nobody is woken, and the last of them wakes another when it ceases.
bool somebody_to_wake(TaskTeam& team, bool small);
/// Of a small task that the caller has seen or made visible: whether it is left to the searchers,
/// of which the caller is none. Passes a fence.
bool leave_to_searchers(TaskTeam& team);
/// The worker, counted in `searchers`, has found something else to do.
void cease_search(Worker& worker);

/// A task, whose full frame may be gone by now, was made visible, or a worker that was woken does
/// not come to what that was for: wakes one worker that can start anything, or all that wait inside
/// tasks. `near` is any worker of the team. Without a reason, nothing.
void wake_any(const Worker& near, WakeReason reason);

/// `worker` is about to sleep; it looks for tasks once more afterwards.
void prepare_park(Worker& worker, const Scope& scope);
/// It is awake.
WakeReason end_park(Worker& worker, const Scope& scope);

} // namespace xomp
