// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks that exclude one another: depend(mutexinoutset) (OpenMP 5.2, section 15.9.5). A task that
// has no unfinished predecessor left takes all items of its own that way, or waits with one of them
// for whoever holds that; it has them from then on until it is complete. States and races:
// task/README.md.
#pragma once
#include <atomic>
#include <cstdint>

#include "sys/brief_lock.h"
#include "task/task.h"

namespace xomp {

struct Exclusion;

/// What decides about all items of a full frame's tasks, under a lock for some steps, because a
/// task takes all of its items at once.
struct ExclusionArbiter {
  uint32_t refs;        ///< the table's and the items'; owner's worker only
  sys::BriefLock& lock; ///< the owner's: a child of fork has to find it
  /// Tasks that have waited in too many lists, oldest first. The first of them is given each of its
  /// items as soon as that is free and keeps it; it alone may hold some without the others.
  Exclusion* elders = nullptr;
  Exclusion* last_elder = nullptr;
};

/// A list item of one set of tasks: those that named it between two accesses of other types.
struct ExclusiveItem {
  const void* address;
  ExclusionArbiter& arbiter;
  uint32_t refs = 0; ///< tasks that name it; owner's worker only
  // Under the arbiter's lock.
  Exclusion* holder = nullptr;
  Exclusion* blocked = nullptr; ///< oldest first; none if nobody holds it
  Exclusion* last_blocked = nullptr;
};

/// Of one task: the items that it excludes others from. Lives as long as the task.
struct Exclusion {
  DeferredTask& task;
  ExclusionArbiter& arbiter;
  uint32_t count;    ///< items
  bool creator_runs; ///< the task is not deferred: its creator waits for the items and runs it
  std::atomic<bool> admitted{false};
  uint32_t moves = 0;        ///< lists in which it has waited; under the lock
  Exclusion* next = nullptr; ///< in the list in which it is

  ExclusiveItem** items() { return reinterpret_cast<ExclusiveItem**>(this + 1); }
};

/// The arbiter of a table that has none yet; the table has one reference.
ExclusionArbiter& make_arbiter(sys::BriefLock& lock);
/// Gives back the table's reference.
void release_arbiter(ExclusionArbiter* arbiter);

/// Makes `task` name one more item, of at most `most`. `peer` is another task of the item's set, or
/// null if all are done and forgotten. Before the task is admitted.
void exclude(DeferredTask& task, const void* address, DeferredTask* peer, ExclusionArbiter& arbiter,
             uint32_t most);
/// Owner's worker only, like all of the above: the task is freed.
void free_exclusion(DeferredTask& task);

/// `task` has no unfinished predecessors. True: the caller makes it ready. False: it waits for an
/// item, or its creator was told. Any worker, once.
bool admit(DeferredTask& task);

/// `task` is complete: gives its items back. Returns those that have all of theirs now, by `next`.
Exclusion* release_items(DeferredTask& task);
/// True: the task is one that its creator runs itself, and the creator was told.
bool notify_creator(Exclusion& admitted);

} // namespace xomp
