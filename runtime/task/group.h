// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// taskgroup regions.
#pragma once
#include "task/worker.h"

namespace xomp {

/// Opens a taskgroup in the current task. `workshare`: made for a construct's task reductions, not by the user.
Taskgroup& taskgroup_start(Worker& worker, bool workshare = false);
/// Waits until every task of the innermost group of the current task is finished, and closes it.
void taskgroup_end(Worker& worker);

/// The current task's own environment, made if it shares its parent's until now.
Env& own_env(Worker& worker);
/// The current task's family, made if need be.
Family& own_family(Worker& worker);
/// The current task's ICVs for writing (copy on write).
Icv& own_icv(Worker& worker);
/// The current task's ICVs for reading.
inline const Icv& icv(const Worker& worker) { return *worker.current->env->icv; }

} // namespace xomp
