// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Doors of tasks, taskwait, taskyield, taskgroup and events.
#include "abi/export.h"
#include "task/create.h"
#include "task/group.h"
#include "task/run.h"
#include "task/wait.h"
#include "team/team.h"

using namespace xomp;

XOMP_EXPORT void GOMP_task(void (*body)(void*), void* data, void (*copy)(void*, void*), long size,
                           long align, bool if_clause, unsigned flags, void** depend, int priority,
                           void* detach) {
  constexpr unsigned kIgnored = kTaskUntied | kTaskMergeable;
  if (!(flags & ~kIgnored) && !copy) [[likely]] {
    if (run_if_refused(*self, body, data)) [[likely]]
      return;
  }
  create_task(me(), TaskSpec{body, data, copy, static_cast<std::size_t>(size),
                             static_cast<std::size_t>(align), if_clause, flags, depend, priority, detach});
}

XOMP_EXPORT void GOMP_taskwait() { taskwait(*self); }

XOMP_EXPORT void GOMP_taskwait_depend(void** depend) { taskwait_depend(me(), depend); }

XOMP_EXPORT void GOMP_taskwait_depend_nowait(void** depend) {
  // An empty task with these dependences.
  create_task(me(), TaskSpec{[](void*) {}, nullptr, nullptr, 0, 1, true, kTaskDepend, depend, 0, nullptr});
}

XOMP_EXPORT void GOMP_taskyield() { taskyield(me()); }

XOMP_EXPORT void GOMP_taskgroup_start() { taskgroup_start(me()); }

XOMP_EXPORT void GOMP_taskgroup_end() { taskgroup_end(me()); }

XOMP_EXPORT void omp_fulfill_event(void* event) { fulfill(me(), *static_cast<DeferredTask*>(event)); }
