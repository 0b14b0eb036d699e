// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Running deferred tasks and finding the next one. Rules: task/README.md.
#pragma once
#include "task/worker.h"

namespace xomp {

/// What a waiting worker may start.
struct Scope {
  const Family*
      family;    ///< only descendants of this family's task; null: nothing, unless `anything`
  bool anything; ///< in a barrier: no task is suspended on this thread outside of it
};

/// Runs a task that the caller has claimed, and afterwards everything that it left to this worker.
void launch(Worker& worker, DeferredTask& task);

/// Claims the next task that `scope` allows; null if there is none now. `root` is the family whose
/// children are looked at first, or null.
DeferredTask* next_task(Worker& worker, Family* root, const Scope& scope);

/// Both the body and the event of `task` are finished. `worker` is the one that has just run it, or
/// null when an event finished it.
void complete(Worker* worker, DeferredTask& task);

/// omp_fulfill_event, from any thread.
void fulfill(DeferredTask& task);
/// Waits for the threads that are still inside `fulfill` for a task of `team`, all of which are
/// finished.
void see_off_visitors(TaskTeam& team);

/// True when tasks that would start now are discarded (OpenMP 5.2, section 11.1).
bool cancelled(const Worker& worker, const Env& env);

} // namespace xomp
