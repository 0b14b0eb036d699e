// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waking a sleeping worker for a task that any worker can reach. Two kinds sleep: those that could
// start anything, of which one is enough (sched/sleepers.h), and those that wait inside a task and
// may start its descendants only. States and races: sched/README.md.
#pragma once
#include "task/run.h"

namespace xomp {

/// A child of `family`, the caller's own, was made visible: wakes one worker that may start it, if
/// possible near `near`.
void wake_for(Worker& near, const Family& family);

/// A task whose family may be gone by now was made visible: wakes one worker that can start
/// anything, or all that wait inside tasks. `near` is any worker of the team.
void wake_any(const Worker& near);

/// `worker` is about to sleep; it looks for tasks once more afterwards.
void lie_down(Worker& worker, const Scope& scope);
/// It is awake. True: somebody woke it for a task.
bool get_up(Worker& worker, const Scope& scope);

} // namespace xomp
