// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The events of detachable tasks. What the program holds (omp_event_handle_t) names a place in a
// table and how often that place was used before, so that a handle whose task is gone, discarded by
// cancellation, is known to be stale instead of pointing into freed memory.
#pragma once
#include <cstdint>

#include "task/task.h"

namespace xomp {

struct TaskTeam;

using EventHandle = uintptr_t;

/// Fulfilling it does nothing.
inline constexpr EventHandle kNoEvent = 0;

/// The event of a new detachable task.
EventHandle create_event(DeferredTask& task);

/// The event where the program has the handle before there is a task: `open_event`, then either
/// `bind_event` or, when no task comes of it, `close_event`. Nobody fulfills it before it is bound.
EventHandle open_event();
void bind_event(EventHandle handle, DeferredTask& task);
void close_event(EventHandle handle);

/// The task whose event this is, for the one caller that fulfills it: the handle is stale from here
/// on. Null when it was before.
DeferredTask* take_event(EventHandle handle);

/// Whether an event has had the handle, be it stale by now.
bool was_event(EventHandle handle);

/// The task will not run. True: nobody fulfilled its event, and nobody can from here on.
bool withdraw_event(DeferredTask& task);

/// Tasks of the team whose event nobody has fulfilled or withdrawn; -1: the table is being changed.
/// For reports, from a signal handler.
int open_events(const TaskTeam& team);

/// In the child after fork: another thread may have been in the middle of any of this.
void repair_events_after_fork();

} // namespace xomp
