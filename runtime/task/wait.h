// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waiting for tasks: taskwait, with and without depend, taskyield. All are task scheduling points.
#pragma once
#include "task/worker.h"

namespace xomp {

/// The current task has a family.
void wait_for_children(Worker& worker);

/// taskwait. For a task that has no family one load and one branch.
[[gnu::always_inline]] inline void taskwait(Worker& worker) {
  if (worker.above == 0) [[unlikely]]
    wait_for_children(worker);
}

/// taskwait with depend clauses; `depend` in the ABI's layout (task/depend.h).
void taskwait_depend(Worker& worker, void** depend);

/// Waits until at most so many children of the current task's `family` wait for predecessors, and
/// helps meanwhile. False: for some milliseconds nothing moved, and perhaps never will before this
/// worker goes on.
bool wait_for_fewer(Worker& worker, Family& family, uint32_t most);

void taskyield(Worker& worker);

} // namespace xomp
