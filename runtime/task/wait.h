// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waiting for tasks: taskwait, with and without depend, taskyield. All are task scheduling points.
#pragma once
#include "task/worker.h"

namespace xomp {

[[gnu::cold]] void wait_for_children(Worker& worker, Family& family);

/// taskwait. Without deferred children one load and one branch.
[[gnu::always_inline]] inline void taskwait(Worker& worker) {
  Family* family = worker.current->family;
  if (family && family->children) [[unlikely]]
    wait_for_children(worker, *family);
}

/// taskwait with depend clauses; `depend` in the ABI's layout (task/depend.h).
void taskwait_depend(Worker& worker, void** depend);

void taskyield(Worker& worker);

} // namespace xomp
