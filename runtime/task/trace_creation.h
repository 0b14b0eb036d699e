// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What listeners are told of a task's creation.
#pragma once
#include "task/create.h"
#include "trace/task_trace.h"

namespace xomp {

/// A task that runs at once; `domain`: where its creator says that it belongs. `task` is filled.
void trace_run_at_once(const Worker& worker, trace::TaskTrace& task, const TaskSpec& spec,
                       int domain, AtOnce why);
/// A task that is not run at once, with memory of its own.
void trace_created(Worker& worker, DeferredTask& task, const TaskSpec& spec);
/// The task has become visible to other workers.
void trace_deferred(Worker& worker, DeferredTask& task);

} // namespace xomp
