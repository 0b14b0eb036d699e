// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// taskgroup regions.
#pragma once
#include "events/events.h"
#include "task/environment.h"
#include "task/worker.h"

namespace xomp {

/// Opens a taskgroup in the current task, as a part of another construct (taskloop, a reduction).
Taskgroup& open_group(Worker& worker);
/// A taskgroup construct, which listeners are told of. Inline, so that the return address is the
/// program's.
[[gnu::always_inline]] inline void taskgroup_start(Worker& worker) {
  if (worker.track) [[unlikely]]
    trace::group_begins(*worker.track, __builtin_return_address(0));
  open_group(worker);
}
/// The program names the innermost group where there is none.
[[noreturn, gnu::cold]] void no_group();
/// Of the current task, which has to be in one.
inline Taskgroup& innermost_group(const Worker& worker) {
  Taskgroup* group = worker.env->group;
  if (!group) [[unlikely]]
    no_group();
  return *group;
}
/// Waits until every task of the innermost group of the current task is finished, and closes it.
void taskgroup_end(Worker& worker, const void* codeptr);
/// Frees the taskgroup that the worker has kept for the next one; before the worker is destroyed.
void free_group(Worker& worker);

/// A deferred task was created in `group`, by `worker`.
void enter_group(Worker& worker, Taskgroup& group);
/// It is finished; `worker` as in `complete`, null also for a theft of tasks of the group, which
/// was counted as one of another worker's. The group may be gone afterwards.
void leave_group(Worker* worker, Taskgroup& group);

} // namespace xomp
