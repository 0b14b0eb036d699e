// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Deferred tasks: finding the next one (next_task.cc), running it (run.cc), and what its end means
// for others (complete.cc). Rules: task/README.md.
#pragma once
#include <algorithm>
#include <bit>
#include <utility>

#include "sys/assert.h"
#include "sys/delay.h"
#include "task/ancestry.h"
#include "task/children.h"
#include "task/event.h"
#include "task/worker.h"

namespace xomp {

/// What a wait for some of the current task's children is for: tasks, or those of a group.
struct Wanted {
  DeferredTask** tasks = nullptr;
  std::size_t count = 0;
  const Taskgroup* group = nullptr;
  /// Whether all of the tasks have made ready what waited for them.
  bool over() const;
};

/// What a worker may start, in one word, that of its sleep as well (`Worker::wake_word`): the
/// descendants of the task with a full frame; nothing (0, of none); anything, in a barrier, where
/// no task is suspended on this thread outside of it; or the members of a taskgroup, all of which
/// descend from the group's task.
struct Scope {
  static constexpr uintptr_t kAnything = 2;
  static constexpr uintptr_t kMembers = 1; ///< the lowest bit of a taskgroup's

  static Scope of(const FullFrame* task) { return {reinterpret_cast<uintptr_t>(task)}; }
  static Scope of(const Taskgroup* group) {
    return {reinterpret_cast<uintptr_t>(group) | kMembers};
  }
  bool anything() const { return word == kAnything; }
  bool is_members() const { return word & kMembers; }
  /// Whether the children of `from`, which may be null, descend from the task.
  bool includes(const FullFrame* from) const {
    return word && from && descends(*from, *reinterpret_cast<const FullFrame*>(word));
  }

  uintptr_t word = 0;
};

/// `Policy::put` of a task, which is ready.
inline int put(Worker& worker, DeferredTask& task, bool to_another) {
  XOMP_ASSERT(self == &worker && worker.count > 1);
  int32_t priority = task.priority; // before: whoever finds the task may end it
  int target = worker.policy->put(worker, &task, to_another);
  if (priority > 0) [[unlikely]]
    worker.urgency.put(priority);
  return target;
}

/// A worker's search for something to run, over the length of one wait: for what is `wanted`, in a
/// barrier, or else for the task's children.
struct Search {
  Scope scope;
  const Wanted* wanted = nullptr; ///< nothing any more when that is over, where not null
  bool thorough = false; ///< show queued tasks that it may not start to the team (task/overflow.h)
  bool leaves_tiny = false; ///< though thorough, it leaves these to their creator (task/backoff.h)
  uint32_t in_vain = 0;     ///< looks
  uint64_t overflow_seen = 0; ///< the overflow list's version when nothing on it was allowed

  /// Tasks not for this worker that this look passes by in one place: a few, but twice as many in
  /// every second vain one, four times in every fourth, and so on. What lies at depth d is found
  /// after d looks, and a look costs the logarithm of their number on average.
  uint32_t few() const {
    constexpr int kMost = 16;
    return thorough ? UINT32_MAX : kFew << std::min(std::countr_zero(in_vain + 1), kMost);
  }
  /// Whether what the wait is not for is left to others still: for some 20 microseconds.
  bool has_just_begun() const {
    constexpr uint32_t kMoment = 104; // hardly more than `sys::ShortWait` spins
    return in_vain < kMoment;
  }
};

/// Whether the worker may start `task`, on which it holds a pointer.
bool allows(const Search& search, const DeferredTask& task);

/// Gives up a pointer to `task` (kInQueue, kInReadyList) that the caller has.
inline void give_up(DeferredTask& task, uint32_t pointer) {
  XOMP_ASSERT(task.names(pointer));
  // Release: the owner may free the task after this.
  task.state.fetch_and(~pointer, std::memory_order_release);
}

/// Takes the first task of those that `pick` picks off a list in which `kPointer` of each is a
/// pointer to it, claimed, and before it all that somebody else was faster with. Null: there is
/// none. `unlinked` is called for each that is taken off.
template <DeferredTask* DeferredTask::* kNext, uint32_t kPointer, class Pick, class Unlinked>
DeferredTask* claim_listed(DeferredTask*& list, Pick pick, Unlinked unlinked) {
  DeferredTask** link = &list;
  while (DeferredTask* task = *link) {
    bool ready = task->phase(std::memory_order_acquire) == kReady;
    if (ready && !pick(*task)) {
      link = &(task->*kNext);
      continue;
    }
    *link = task->*kNext;
    unlinked();
    sys::delay();
    if (ready && try_claim(*task, kPointer))
      return task;
    give_up(*task, kPointer);
  }
  return nullptr;
}

/// Claims a task that this worker made ready, of those that `pick` picks.
template <class Pick> DeferredTask* claim_ready_successor(Worker& worker, Pick pick) {
  return claim_listed<&DeferredTask::next_ready, kInReadyList>(worker.ready_successors, pick,
                                                               [] {});
}

/// Runs a task that the caller has found and claimed, and afterwards everything that it left to
/// this worker.
void launch(Worker& worker, DeferredTask& task);
/// As `launch`, for a task that its creator runs where it creates it: the policy is not told.
void launch_untold(Worker& worker, DeferredTask& task);

/// As `launch`, in a wait for some tasks that may be over now: what the task made ready is left to
/// whoever waits, before anything else.
void launch_for_some(Worker& worker, DeferredTask& task);
/// What the tasks of such a wait made ready is for all.
void show_successors(Worker& worker);
/// Takes its children off that list, in a team of one thread, which finds them elsewhere as well.
/// Those of others, which may have ended, are found nowhere else.
void forget_successors(Worker& worker, const FullFrame& full_frame);

/// A level at which tasks are run that need not descend from those of the levels below: what these
/// were left with has to wait for them.
class Level {
public:
  explicit Level(Worker& worker)
      : worker(worker), ended_with_ready(std::exchange(worker.ended_with_ready, nullptr)),
        ready_successors(std::exchange(worker.ready_successors, nullptr)) {}
  ~Level() {
    worker.ended_with_ready = ended_with_ready;
    worker.ready_successors = ready_successors;
  }
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;
  /// Everything that the tasks run at this level left ready.
  void run_left_behind();
  /// The successors among that are left to the level below.
  void pass_successors();

private:
  Worker& worker;
  FullFrame* ended_with_ready;
  DeferredTask* ready_successors;
};

/// Claims a child of the current task that is wanted, or that may lead to one that is. Null: there
/// is none now.
DeferredTask* claim_wanted(Worker& worker, const Search& search);
/// Claims one of those that may lead to a task that is wanted.
DeferredTask* claim_leading(Worker& worker, const Search& search);

/// Claims the next task that the search allows, of the current task's children first where that is
/// anything; null if there is none now.
DeferredTask* next_task(Worker& worker, Search& search);

/// Both the body and the event of `task` are finished. `worker` is the one that has just run it, or
/// null when an event finished it.
void complete(Worker* worker, DeferredTask& task);

/// omp_fulfill_event, from any thread. Does nothing when the event's task was discarded.
void fulfill(EventHandle event);
/// True: `team` was abandoned, and the caller acts for its thread from here on.
bool take_over(TaskTeam& team);

// What a team does then is defined above this layer, in team/barrier_central.cc and
// team/thread_exit.cc.
/// `TaskTeam::outstanding` has become 0: a thread that can end the barrier may sleep.
void central_drained(TaskTeam& team);
/// The caller has taken the team over after it fulfilled an event.
void adopt_team(TaskTeam& team);

/// Waits for the threads that are still inside `fulfill` for a task of `team`, all of which are
/// finished.
void see_off_visitors(TaskTeam& team);

/// As `Port::stale`.
bool drop_if_stale(DeferredTask* task);
/// As `Port::depth`.
uint32_t depth_of(const DeferredTask* task);

/// Calls the body of a task that is not to run, which then only gives back what it has
/// (`Worker::discards`).
void discard(Worker& worker, void (*body)(void*), void* data);

/// True when tasks that would start now are discarded (OpenMP 5.2, section 11.1).
bool cancelled(const Worker& worker, const Env& env);

} // namespace xomp
