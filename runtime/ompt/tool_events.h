// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the event points to the tool's callbacks (OpenMP 5.2, section 19.5.2). Called only where a
// tool listens, by the thread that it happens to unless said otherwise; ompt/README.md and
// events/README.md say what is told where.
#pragma once
#include "trace/tool_data.h"
#include "trace/track.h"

namespace xomp::trace {

/// Whether the task's region is still there.
inline bool is_in(const ToolTask& task) {
  return task.region && task.region->turn.load(std::memory_order_relaxed) == task.turn;
}

/// The calling thread's track while a tool is there; null: the runtime has not met the thread.
[[gnu::visibility("hidden")]] extern __thread Track* own_track;

void tool_thread_begins(Track& track);
void tool_thread_ends(Track& track);

/// `flags`: ompt_parallel_flag_t. Of a league, `threads` are teams.
void tool_region_begins(Track& track, ToolRegion& region, int threads, unsigned requested,
                        unsigned flags, const CallSite& site);
void tool_region_ends(Track& track, ToolRegion& region);

/// The thread becomes number `thread_num`. `initial`: it is an initial task, and `region` only
/// exists around it.
void tool_implicit_begins(Track& track, ToolTask& task, ToolRegion& region, int thread_num,
                          bool initial);
/// A team of a league begins, which is an initial task.
void tool_team_begins(Track& track, ToolTask& task, ToolRegion& league, int number);
/// `frame`: of the function that calls its body.
void tool_called_from(ToolTask& task, const void* frame);
/// It leaves it.
void tool_implicit_ends(Track& track, ToolTask& task);

/// `flags`: of ompt_task_flag_t, besides ompt_task_explicit. `undeferred` and so on.
void tool_task_created(Track& track, ToolTask& task, int flags, bool has_dependences,
                       const CallSite& site);
void tool_task_depends(ToolTask& task, const ompt_dependence_t* dependences, int count);
/// `sink` has to wait for `source`.
void tool_task_waits_for(ToolTask& source, ToolTask& sink);
/// `frame`: of the function that calls its body.
void tool_task_begins(Track& track, ToolTask& task, const void* frame);
/// `status`: ompt_task_complete or ompt_task_cancel; `outer`: what the thread goes on with.
void tool_task_ends(Track& track, ToolTask& task, ToolTask* outer, ompt_task_status_t status,
                    bool detachable);
/// A task that never ran.
void tool_task_discarded(Track& track, ToolTask& task, int why);
/// omp_fulfill_event, by any thread, before anything comes of it.
void tool_task_fulfilled(ToolTask& task);
/// A taskwait with dependences, which is told as a task without a body, is over.
void tool_taskwait_ends(ToolTask& task);

/// The task begins to wait in such a region, and has waited. `leaves_region`: see implicit tasks.
void tool_waiting_begins(Track& track, ompt_sync_region_t kind, const CallSite& site);
void tool_waiting_ends(Track& track, ompt_sync_region_t kind, bool leaves_region, const void* code);
/// A taskgroup begins.
void tool_group_begins(Track& track, const void* code);
/// In between: there is nothing to run, or it goes on.
void tool_stalls(Track& track, ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
                 bool leaves_region, const void* code);

void tool_work(Track& track, ompt_work_t kind, ompt_scope_endpoint_t endpoint, uint64_t count,
               const void* code);
void tool_dispatch(Track& track, ompt_dispatch_t kind, ompt_data_t instance);

void tool_masked(Track& track, ompt_scope_endpoint_t endpoint, const void* code);
void tool_flush(Track& track, const void* code);

void tool_doacross(Track& track, ompt_dependence_type_t kind, const uint64_t* iteration,
                   unsigned rank);
void tool_cancel(Track& track, int flags, const void* code);
void tool_error(ompt_severity_t severity, const char* message, std::size_t length,
                const void* code);
int tool_control(uint64_t command, uint64_t modifier, void* argument, const CallSite& site);

void tool_mutex_asked(Track& track, const void* mutex, ompt_mutex_t kind, const void* code);
void tool_waits_no_more(Track& track);
void tool_mutex_acquired(Track& track, const void* mutex, ompt_mutex_t kind, const void* code);
void tool_mutex_released(Track& track, const void* mutex, ompt_mutex_t kind, const void* code);
void tool_nest_lock(Track& track, const void* mutex, ompt_scope_endpoint_t endpoint,
                    const void* code);
void tool_lock_init(const void* mutex, ompt_mutex_t kind, unsigned hint, const void* code);
void tool_lock_destroy(const void* mutex, ompt_mutex_t kind, const void* code);

} // namespace xomp::trace
