// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ompt/tool_events.h"

#include <utility>

#include "ompt/callbacks.h"

// Where the linker has put the runtime, or the program that it is linked into.
// NOLINTNEXTLINE(readability-identifier-naming): its names
extern "C" [[gnu::visibility("hidden")]] const char __ehdr_start[], etext[];

namespace xomp::trace {

constinit __thread Track* own_track = nullptr;

namespace {

/// A return address as a tool is to see it. Where a construct is the last thing that a function
/// does, the compiler jumps to the runtime, and the function's caller is found: when that is the
/// runtime itself, the function is the current task's, and all that is known is where it begins.
/// Also where an entry point has passed no address on.
const void* program_code(const Track& track, const void* code) {
  auto* address = static_cast<const char*>(code);
  bool known = address && (address < __ehdr_start || address >= etext);
  if (known)
    return code;
  if (!track.current || !track.current->body)
    return nullptr; // an initial task's
  // One further, as tools look for the call before it.
  return reinterpret_cast<const char*>(track.current->body) + 1;
}

const void* own_code(const void* code) { return own_track ? program_code(*own_track, code) : code; }

/// What the runtime says of addresses on a stack: canonical frame addresses of its own functions.
constexpr int kRuntimeFrame = int{ompt_frame_runtime} | int{ompt_frame_cfa};

ToolTask* task_of(Track& track) { return track.current ? &track.current->tool : nullptr; }
ompt_data_t* data_of(ToolTask* task) { return task ? &task->data : nullptr; }

void turn(ToolRegion& region) {
  region.turn.store(region.turn.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

/// Null: it is over, or there is none.
ompt_data_t* region_data(const ToolTask* task) {
  return task && is_in(*task) ? &task->region->data : nullptr;
}

void enter(ToolTask* task, const void* frame) {
  if (!task)
    return;
  task->frame.enter_frame_flags = kRuntimeFrame;
  task->frame.enter_frame.ptr = const_cast<void*>(frame);
}

void leave(ToolTask* task) {
  if (task)
    task->frame.enter_frame.ptr = nullptr;
}

void exit(ToolTask& task, const void* frame) {
  task.frame.exit_frame_flags = kRuntimeFrame;
  task.frame.exit_frame.ptr = const_cast<void*>(frame);
}

void begin(ToolTask& task, int flags) {
  task.data = {};
  task.frame = {};
  task.region = nullptr;
  task.turn = 0;
  task.flags = flags;
  task.thread_num = 0;
  task.index = 0;
  task.before = ompt_state_undefined;
  task.enters = false;
  task.at_join = false;
  task.memory = nullptr;
  task.bytes = 0;
  task.chunk = {};
  task.fate = Fate::kOpen;
}

ompt_state_t working(const ToolTask& task) {
  return task.flags & ompt_task_initial || (task.region && !task.region->outer)
             ? ompt_state_work_serial
             : ompt_state_work_parallel;
}

ompt_state_t waiting(ompt_sync_region_t kind) {
  switch (kind) {
  case ompt_sync_region_barrier_explicit:
    return ompt_state_wait_barrier_explicit;
  case ompt_sync_region_barrier_implicit_workshare:
    return ompt_state_wait_barrier_implicit_workshare;
  case ompt_sync_region_barrier_implicit_parallel:
    return ompt_state_wait_barrier_implicit_parallel;
  case ompt_sync_region_taskwait:
    return ompt_state_wait_taskwait;
  case ompt_sync_region_taskgroup:
    return ompt_state_wait_taskgroup;
  default:
    return ompt_state_wait_barrier_implementation;
  }
}

ompt_state_t waiting(ompt_mutex_t kind) {
  switch (kind) {
  case ompt_mutex_critical:
    return ompt_state_wait_critical;
  case ompt_mutex_atomic:
    return ompt_state_wait_atomic;
  case ompt_mutex_ordered:
    return ompt_state_wait_ordered;
  default:
    return ompt_state_wait_lock;
  }
}

ompt_wait_id_t wait_id(const void* mutex) { return reinterpret_cast<uintptr_t>(mutex); }

void schedule(ToolTask* prior, ompt_task_status_t status, ToolTask* next) {
  if (auto callback = registered<ompt_callback_task_schedule_t>(ompt_callback_task_schedule))
    callback(data_of(prior), status, data_of(next));
}

void notify_sync(ompt_callbacks_t event, Track& track, ompt_sync_region_t kind,
                 ompt_scope_endpoint_t endpoint, bool in_region, const void* code) {
  ToolTask* task = task_of(track);
  if (auto callback = registered<ompt_callback_sync_region_t>(event))
    callback(kind, endpoint, in_region ? region_data(task) : nullptr, data_of(task),
             program_code(track, code));
}

} // namespace

void tool_thread_begins(Track& track) {
  track.tool.beside = own_track;
  own_track = &track;
  track.tool.state = ompt_state_overhead;
  ompt_thread_t type = track.programs_own ? ompt_thread_initial : ompt_thread_worker;
  if (auto callback = registered<ompt_callback_thread_begin_t>(ompt_callback_thread_begin))
    callback(type, &track.tool.data);
  track.tool.state = ompt_state_idle;
}

void tool_thread_ends(Track& track) {
  if (auto callback = registered<ompt_callback_thread_end_t>(ompt_callback_thread_end))
    callback(&track.tool.data);
  own_track = track.tool.beside;
}

void tool_region_begins(Track& track, ToolRegion& region, int threads, unsigned requested,
                        unsigned flags, const CallSite& site) {
  ToolTask* task = task_of(track);
  region.data = {};
  region.outer = task ? task->region : nullptr;
  region.encountered = track.current;
  region.threads = threads;
  region.flags = static_cast<int>(flags);
  region.code = program_code(track, site.code);
  turn(region);
  enter(task, site.frame);
  if (auto callback = registered<ompt_callback_parallel_begin_t>(ompt_callback_parallel_begin))
    callback(data_of(task), task ? &task->frame : nullptr, &region.data, requested, region.flags,
             region.code);
}

void tool_region_ends(Track& track, ToolRegion& region) {
  ToolTask* task = task_of(track);
  turn(region);
  if (auto callback = registered<ompt_callback_parallel_end_t>(ompt_callback_parallel_end))
    callback(&region.data, data_of(task), region.flags, region.code);
  leave(task);
}

namespace {

void begin_in(ToolRegion& region, Track& track, ToolTask& task, unsigned index) {
  task.region = &region;
  task.turn = region.turn.load(std::memory_order_relaxed);
  task.index = index;
  task.before = track.tool.state;
  track.tool.state = working(task);
  if (auto callback = registered<ompt_callback_implicit_task_t>(ompt_callback_implicit_task))
    callback(ompt_scope_begin, &region.data, &task.data, static_cast<unsigned>(region.threads),
             index, task.flags);
}

} // namespace

void tool_implicit_begins(Track& track, ToolTask& task, ToolRegion& region, int thread_num,
                          bool initial) {
  begin(task, initial ? ompt_task_initial : ompt_task_implicit);
  if (initial) {
    region.data = {};
    region.outer = nullptr;
    region.encountered = nullptr;
    region.threads = 1;
    region.code = nullptr;
    region.flags = 0;
    turn(region);
  } else if (thread_num > 0) {
    exit(task, track.tool.base);
  }
  task.thread_num = thread_num;
  begin_in(region, track, task, initial ? 1 : static_cast<unsigned>(thread_num));
}

void tool_team_begins(Track& track, ToolTask& task, ToolRegion& league, int number) {
  begin(task, ompt_task_initial);
  begin_in(league, track, task, static_cast<unsigned>(number));
}

void tool_called_from(ToolTask& task, const void* frame) { exit(task, frame); }

void tool_implicit_ends(Track& track, ToolTask& task) {
  track.tool.state = task.before;
  if (auto callback = registered<ompt_callback_implicit_task_t>(ompt_callback_implicit_task))
    callback(ompt_scope_end, nullptr, &task.data, 0, task.index, task.flags);
  task.region = nullptr;
}

void tool_task_created(Track& track, ToolTask& task, int flags, bool has_dependences,
                       const CallSite& site) {
  ToolTask* creator = task_of(track);
  begin(task, flags);
  task.chunk = std::exchange(track.tool.chunk, {});
  enter(creator, site.frame);
  if (auto callback = registered<ompt_callback_task_create_t>(ompt_callback_task_create))
    callback(data_of(creator), creator ? &creator->frame : nullptr, &task.data, flags,
             has_dependences, program_code(track, site.code));
  leave(creator);
}

void tool_task_depends(ToolTask& task, const ompt_dependence_t* dependences, int count) {
  if (auto callback = registered<ompt_callback_dependences_t>(ompt_callback_dependences))
    callback(&task.data, dependences, count);
}

void tool_task_waits_for(ToolTask& source, ToolTask& sink) {
  if (auto callback = registered<ompt_callback_task_dependence_t>(ompt_callback_task_dependence))
    callback(&source.data, &sink.data);
}

void tool_task_begins(Track& track, ToolTask& task, const void* frame) {
  ToolTask* outer = task_of(track);
  if (outer) {
    task.region = outer->region;
    task.turn = outer->turn;
    task.thread_num = outer->thread_num;
    task.enters = !outer->frame.enter_frame.ptr;
    if (task.enters)
      enter(outer, frame);
  }
  task.before = track.tool.state;
  schedule(outer, track.tool.leaves, &task);
  track.tool.leaves = ompt_task_switch;
  track.tool.state = working(task);
  exit(task, frame);
}

void tool_task_ends(Track& track, ToolTask& task, ToolTask* outer, ompt_task_status_t status,
                    bool detachable) {
  track.tool.state = task.before;
  task.frame.exit_frame.ptr = nullptr;
  bool enters = task.enters;
  if (!detachable) {
    schedule(&task, status, outer);
  } else {
    task.lock.lock();
    if (task.fate == Fate::kOpen) {
      task.fate = Fate::kLeft;
      status = ompt_task_detach;
    } else {
      task.fate = Fate::kOver;
    }
    schedule(&task, status, outer);
    task.lock.unlock();
  }
  if (enters)
    leave(outer);
}

void tool_task_discarded(Track& track, ToolTask& task, int why) {
  task.lock.lock();
  task.fate = Fate::kOver;
  if (auto callback = registered<ompt_callback_cancel_t>(ompt_callback_cancel))
    callback(&task.data, why | ompt_cancel_discarded_task, nullptr);
  schedule(&task, ompt_task_cancel, task_of(track));
  task.lock.unlock();
}

void tool_task_fulfilled(ToolTask& task) {
  task.lock.lock();
  if (task.fate == Fate::kOpen) {
    task.fate = Fate::kFulfilled;
    schedule(&task, ompt_task_early_fulfill, nullptr);
  } else if (task.fate == Fate::kLeft) {
    task.fate = Fate::kOver;
    schedule(&task, ompt_task_late_fulfill, nullptr);
  }
  task.lock.unlock();
}

void tool_taskwait_ends(ToolTask& task) { schedule(&task, ompt_taskwait_complete, nullptr); }

void tool_waiting_begins(Track& track, ompt_sync_region_t kind, const CallSite& site) {
  enter(task_of(track), site.frame);
  if (kind != ompt_sync_region_taskgroup)
    notify_sync(ompt_callback_sync_region, track, kind, ompt_scope_begin, true, site.code);
  track.tool.state = waiting(kind);
  if (ToolTask* task = task_of(track))
    task->at_join = kind == ompt_sync_region_barrier_implicit_parallel && task->thread_num > 0;
}

void tool_waiting_ends(Track& track, ompt_sync_region_t kind, bool leaves_region,
                       const void* code) {
  ToolTask* task = task_of(track);
  // A thread that leaves a region may come late: it is another one by then.
  track.tool.state = task && !leaves_region ? working(*task) : ompt_state_overhead;
  notify_sync(ompt_callback_sync_region, track, kind, ompt_scope_end, !leaves_region, code);
  leave(task);
}

void tool_group_begins(Track& track, const void* code) {
  notify_sync(ompt_callback_sync_region, track, ompt_sync_region_taskgroup, ompt_scope_begin, true,
              code);
}

void tool_stalls(Track& track, ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
                 bool leaves_region, const void* code) {
  notify_sync(ompt_callback_sync_region_wait, track, kind, endpoint, !leaves_region, code);
}

void tool_work(Track& track, ompt_work_t kind, ompt_scope_endpoint_t endpoint, uint64_t count,
               const void* code) {
  ToolTask* task = task_of(track);
  if (auto callback = registered<ompt_callback_work_t>(ompt_callback_work))
    callback(kind, endpoint, region_data(task), data_of(task), count, program_code(track, code));
}

void tool_dispatch(Track& track, ompt_dispatch_t kind, ompt_data_t instance) {
  ToolTask* task = task_of(track);
  if (auto callback = registered<ompt_callback_dispatch_t>(ompt_callback_dispatch))
    callback(region_data(task), data_of(task), kind, instance);
}

void tool_masked(Track& track, ompt_scope_endpoint_t endpoint, const void* code) {
  ToolTask* task = task_of(track);
  if (auto callback = registered<ompt_callback_masked_t>(ompt_callback_masked))
    callback(endpoint, region_data(task), data_of(task), program_code(track, code));
}

void tool_flush(Track& track, const void* code) {
  if (auto callback = registered<ompt_callback_flush_t>(ompt_callback_flush))
    callback(&track.tool.data, program_code(track, code));
}

void tool_doacross(Track& track, ompt_dependence_type_t kind, const uint64_t* iteration,
                   unsigned rank) {
  auto callback = registered<ompt_callback_dependences_t>(ompt_callback_dependences);
  if (!callback)
    return;
  auto* vector =
      static_cast<ompt_dependence_t*>(__builtin_alloca(rank * sizeof(ompt_dependence_t)));
  for (unsigned i = 0; i < rank; ++i) {
    vector[i].variable.value = iteration[i];
    vector[i].dependence_type = kind;
  }
  callback(data_of(task_of(track)), vector, static_cast<int>(rank));
}

void tool_cancel(Track& track, int flags, const void* code) {
  if (auto callback = registered<ompt_callback_cancel_t>(ompt_callback_cancel))
    callback(data_of(task_of(track)), flags, program_code(track, code));
}

void tool_error(ompt_severity_t severity, const char* message, std::size_t length,
                const void* code) {
  if (auto callback = registered<ompt_callback_error_t>(ompt_callback_error))
    callback(severity, message, length, code);
}

int tool_control(uint64_t command, uint64_t modifier, void* argument, const CallSite& site) {
  constexpr int kNoCallback = -1; // omp_control_tool_nocallback
  auto callback = registered<ompt_callback_control_tool_t>(ompt_callback_control_tool);
  if (!callback)
    return kNoCallback;
  ToolTask* task = own_track ? task_of(*own_track) : nullptr;
  enter(task, site.frame);
  int answer = callback(command, modifier, argument, site.code);
  leave(task);
  return answer;
}

void tool_mutex_asked(Track& track, const void* mutex, ompt_mutex_t kind, const void* code) {
  if (auto callback = registered<ompt_callback_mutex_acquire_t>(ompt_callback_mutex_acquire))
    callback(kind, 0, kToolMutex, wait_id(mutex), program_code(track, code));
  track.tool.wait_id = wait_id(mutex);
  track.tool.state = waiting(kind);
}

void tool_waits_no_more(Track& track) {
  ToolTask* task = task_of(track);
  track.tool.state = task ? working(*task) : ompt_state_overhead;
  track.tool.wait_id = ompt_wait_id_none;
}

void tool_mutex_acquired(Track& track, const void* mutex, ompt_mutex_t kind, const void* code) {
  tool_waits_no_more(track); // it does not wait for it any more
  if (auto callback = registered<ompt_callback_mutex_t>(ompt_callback_mutex_acquired))
    callback(kind, wait_id(mutex), program_code(track, code));
}

void tool_mutex_released(Track& track, const void* mutex, ompt_mutex_t kind, const void* code) {
  if (auto callback = registered<ompt_callback_mutex_t>(ompt_callback_mutex_released))
    callback(kind, wait_id(mutex), program_code(track, code));
}

void tool_nest_lock(Track& track, const void* mutex, ompt_scope_endpoint_t endpoint,
                    const void* code) {
  if (auto callback = registered<ompt_callback_nest_lock_t>(ompt_callback_nest_lock))
    callback(endpoint, wait_id(mutex), program_code(track, code));
}

void tool_lock_init(const void* mutex, ompt_mutex_t kind, unsigned hint, const void* code) {
  if (auto callback = registered<ompt_callback_mutex_acquire_t>(ompt_callback_lock_init))
    callback(kind, hint, kToolMutex, wait_id(mutex), own_code(code));
}

void tool_lock_destroy(const void* mutex, ompt_mutex_t kind, const void* code) {
  if (auto callback = registered<ompt_callback_mutex_t>(ompt_callback_lock_destroy))
    callback(kind, wait_id(mutex), own_code(code));
}

} // namespace xomp::trace
