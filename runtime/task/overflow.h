// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The team's overflow list: tasks that no queue can bring to a worker that may start them. Any
// worker looks at it, last of all. A posted task is held by its kInQueue bit, as one in a queue is.
// Rules: task/README.md.
#pragma once
#include "task/run.h"

namespace xomp {

/// Posts a ready task whose kInQueue bit is set and that no queue holds. The caller wakes
/// somebody for it afterwards (task/wakeup.h).
void post(TaskTeam& team, DeferredTask& task);

/// Posts a task out of the queue of a worker that may not start it; such tasks are bounded
/// in number. False: the overflow list has enough, the task stays where it is, and the bells are
/// rung when there is room again.
bool post_kept(TaskTeam& team, DeferredTask& task);

/// The newest posted task that the search allows, claimed.
DeferredTask* claim_posted(Worker& worker, Search& looks);

/// Takes everything off that is not ready any more.
void clear_overflow(OverflowList& overflow);

} // namespace xomp
