// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the runtime's entry points say, against the records (19.4.4.28, 19.4.4.29, 19.6.1.12
// to 19.6.1.15).
#include <cinttypes>

#include "places.h"
#include "rules.h"

namespace ompt_check {
namespace {

bool in_kind_of_barrier(const Task& task, ompt_sync_region_t kind) {
  return task.in(Construct::kSync, kind);
}

bool asks_for(const Thread& thread, ompt_mutex_t kind) {
  return thread.asks && plain_kind(thread.asked_kind) == kind;
}

/// States of a thread that waits at something are for tasks that have begun it.
bool fits(ompt_state_t state, const Thread& thread) {
  const Task* task = thread.current;
  switch (state) {
  case ompt_state_overhead:
    return true;
  case ompt_state_idle:
    return !task;
  case ompt_state_work_serial:
    return task && (!task->region->creator || task->is(ompt_task_initial)); // or a team's
  case ompt_state_work_parallel:
    return task && task->region->creator;
  case ompt_state_work_reduction:
    return task && task->in(Construct::kReduction, ompt_sync_region_reduction);
  case ompt_state_wait_barrier:
  case ompt_state_wait_barrier_implicit:
    return task && task->in_barrier();
  case ompt_state_wait_barrier_implicit_parallel:
    return task && (in_kind_of_barrier(*task, ompt_sync_region_barrier_implicit_parallel) ||
                    in_kind_of_barrier(*task, ompt_sync_region_barrier_implicit));
  case ompt_state_wait_barrier_implicit_workshare:
    return task && (in_kind_of_barrier(*task, ompt_sync_region_barrier_implicit_workshare) ||
                    in_kind_of_barrier(*task, ompt_sync_region_barrier_implicit));
  case ompt_state_wait_barrier_explicit:
    return task && in_kind_of_barrier(*task, ompt_sync_region_barrier_explicit);
  case ompt_state_wait_barrier_implementation:
    return task && in_kind_of_barrier(*task, ompt_sync_region_barrier_implementation);
  case ompt_state_wait_barrier_teams:
    return task && in_kind_of_barrier(*task, ompt_sync_region_barrier_teams);
  case ompt_state_wait_taskwait:
    return task && (task->in(Construct::kSync, ompt_sync_region_taskwait) || task->waits_for_some);
  case ompt_state_wait_taskgroup:
    return task && task->in(Construct::kSync, ompt_sync_region_taskgroup);
  case ompt_state_wait_mutex:
    return thread.asks;
  case ompt_state_wait_lock:
    return asks_for(thread, ompt_mutex_lock) || asks_for(thread, ompt_mutex_nest_lock);
  case ompt_state_wait_critical:
    return asks_for(thread, ompt_mutex_critical);
  case ompt_state_wait_atomic:
    return asks_for(thread, ompt_mutex_atomic);
  case ompt_state_wait_ordered:
    return asks_for(thread, ompt_mutex_ordered);
  default:
    return false;
  }
}

bool is_mutex_wait(int state) {
  return state >= ompt_state_wait_mutex && state < ompt_state_wait_target;
}

void check_state(const Thread& thread) {
  if (!entry_points.get_state)
    return;
  ompt_wait_id_t mutex = 0;
  auto state = static_cast<ompt_state_t>(entry_points.get_state(&mutex));
  if (!fits(state, thread))
    broken(Rule::kStates, "state %s does not fit task %" PRIu64, word_for(state),
           id_of(thread.current));
  else if (is_mutex_wait(state) && mutex != thread.asked_mutex)
    broken(Rule::kStates, "state %s for %#" PRIx64 ", and %#" PRIx64 " was asked for",
           word_for(state), mutex, thread.asked_mutex);
}

void check_frames(const Task& task, const ompt_frame_t& told, Frame expected) {
  const void* exit = told.exit_frame.ptr;
  const void* enter = told.enter_frame.ptr;
  if (task.is(ompt_task_initial) && !task.region->creator) {
    if (exit)
      broken(Rule::kFrames, "initial task %" PRIu64 " has an exit frame", task.id);
  } else if (!exit && expected != Frame::kLeft) {
    broken(Rule::kFrames, "task %" PRIu64 " has no exit frame", task.id);
  }
  if (expected == Frame::kEntered && !enter)
    broken(Rule::kFrames, "task %" PRIu64 " is in the runtime, and has no enter frame", task.id);
  if (expected == Frame::kInTask && enter)
    broken(Rule::kFrames, "the code of task %" PRIu64 " runs, and it has an enter frame", task.id);
  for (const void* frame : {exit, enter})
    if (frame && !on_this_stack(frame))
      broken(Rule::kFrames, "a frame of task %" PRIu64 " at %p is not on this stack", task.id,
             frame);
  if (exit && enter && exit < enter)
    broken(Rule::kFrames, "the exit frame of task %" PRIu64 " is younger than its enter frame",
           task.id);
}

void check_task_info(const Thread& thread, Frame expected) {
  if (!entry_points.get_task_info)
    return;
  int flags = 0, number = -1;
  ompt_data_t *data = nullptr, *region_data = nullptr;
  ompt_frame_t* frame = nullptr;
  int found = entry_points.get_task_info(0, &flags, &data, &frame, &region_data, &number);
  const Task& task = *thread.current;
  if (found != 2 || !data || !frame) {
    broken(Rule::kInfo, "nothing is known of the current task");
    return;
  }
  if (tasks.find(data->value) != &task)
    broken(Rule::kInfo, "the current task is %" PRIu64 ", and %" PRIu64 " is named", task.id,
           task_id(data));
  if ((flags ^ task.flags) & 0xff)
    broken(Rule::kInfo, "flags %#x of task %" PRIu64 ", which had %#x", flags, task.id, task.flags);
  if (region_data && regions.find(region_data->value) != task.region)
    broken(Rule::kInfo, "the region is %" PRIu64 ", and %" PRIu64 " is named", task.region->id,
           region_id(region_data));
  if (task.is(ompt_task_implicit) && number != static_cast<int>(task.index))
    broken(Rule::kInfo, "thread number %d of the implicit task with index %u", number, task.index);
  check_frames(task, *frame, expected);
}

void check_region_info(const Thread& thread) {
  if (!entry_points.get_parallel_info)
    return;
  ompt_data_t* data = nullptr;
  int size = 0;
  int found = entry_points.get_parallel_info(0, &data, &size);
  const Region& region = *thread.current->region;
  if (found != 2 || !data) {
    broken(Rule::kInfo, "nothing is known of the current region");
    return;
  }
  if (regions.find(data->value) != &region)
    broken(Rule::kInfo, "the region is %" PRIu64 ", and %" PRIu64 " is named", region.id,
           region_id(data));
  auto known = static_cast<int>(region.team_size.load(std::memory_order_relaxed));
  if (size != known && !(region.flags & ompt_parallel_league))
    broken(Rule::kInfo, "a team size of %d, where %d was told", size, known);
}

} // namespace

void check_context(const Thread& thread, Frame frame) {
  if (entry_points.get_thread_data && entry_points.get_thread_data() != thread.data)
    broken(Rule::kInfo, "the thread's data is not where it was when it began");
  check_state(thread);
  if (!thread.current)
    return;
  check_task_info(thread, frame);
  check_region_info(thread);
}

void check_waits(const Thread& thread) {
  if (!entry_points.get_state)
    return;
  ompt_wait_id_t mutex = 0;
  auto state = static_cast<ompt_state_t>(entry_points.get_state(&mutex));
  if (state == ompt_state_work_serial || state == ompt_state_work_parallel || !fits(state, thread))
    broken(Rule::kStates, "state %s in a wait of task %" PRIu64, word_for(state),
           id_of(thread.current));
}

void check_entered_frame(const ompt_frame_t* frame) {
  if (!frame)
    broken(Rule::kFrames, "no frame of the task that calls");
  else if (!frame->enter_frame.ptr)
    broken(Rule::kFrames, "the task that calls has no enter frame");
  else if (!on_this_stack(frame->enter_frame.ptr))
    broken(Rule::kFrames, "the enter frame at %p is not on this stack", frame->enter_frame.ptr);
}

void check_address(const void* address, bool may_be_null) {
  if (!address) {
    if (!may_be_null)
      broken(Rule::kNoAddress, "no return address");
    return;
  }
  switch (owner_of(address)) {
  case Owner::kProgram:
    return;
  case Owner::kRuntime:
    broken(Rule::kAddresses, "return address %p lies in the runtime", address);
    return;
  case Owner::kTool:
    broken(Rule::kAddresses, "return address %p lies in the tool", address);
    return;
  case Owner::kNobody:
    broken(Rule::kAddresses, "return address %p is not code", address);
  }
}

// ---- what all rules share ----

Task* named_task(const ompt_data_t* data, const char* role) {
  Task* task = data ? tasks.find(data->value) : nullptr;
  if (!task)
    broken(Rule::kData, "%s: %s", role, data ? "its data names no task" : "no data");
  else if (task->state.load(std::memory_order_acquire) == TaskState::kOver) {
    broken(Rule::kData, "%s: task %" PRIu64 " is over", role, task->id);
    return nullptr;
  }
  return task;
}

Task* current_task(const Thread& thread, const ompt_data_t* data) {
  Task* task = named_task(data, "the current task");
  if (!task || task == thread.current)
    return task;
  broken(Rule::kSchedule, "task %" PRIu64 " is named, and the thread is in task %" PRIu64, task->id,
         id_of(thread.current));
  return nullptr;
}

void check_region(const Task& task, const ompt_data_t* data, bool may_be_null) {
  if (!data) {
    if (!may_be_null)
      broken(Rule::kRegions, "no data of the region");
    return;
  }
  if (regions.find(data->value) != task.region)
    broken(Rule::kRegions,
           "region %" PRIu64 " is named, and task %" PRIu64 " belongs to region %" PRIu64,
           region_id(data), task.id, task.region->id);
}

bool begins(ompt_scope_endpoint_t endpoint) {
  return endpoint == ompt_scope_begin || endpoint == ompt_scope_beginend;
}

bool ends(ompt_scope_endpoint_t endpoint) {
  return endpoint == ompt_scope_end || endpoint == ompt_scope_beginend;
}

void check_endpoint(ompt_scope_endpoint_t endpoint) {
  if (endpoint < ompt_scope_begin || endpoint > ompt_scope_beginend)
    broken(Rule::kArguments, "an endpoint of %d", endpoint);
}

void check_nothing_open(const Task& task) {
  if (task.open.size)
    broken(Rule::kNesting, "task %" PRIu64 " ends, and %u constructs that it began are open",
           task.id, task.open.size);
  for (uint32_t i = 0; i < task.held.size; ++i)
    if (task.held.items[i].kind >= ompt_mutex_critical)
      broken(Rule::kMutexes, "task %" PRIu64 " ends, and has %s %#" PRIx64, task.id,
             word_for(task.held.items[i].kind), task.held.items[i].mutex);
}

void check_all_ended() {
  uint64_t open_regions = 0, open_tasks = 0;
  regions.for_each([&](const Region& region) {
    if (region.users.load(std::memory_order_acquire) != 0 && !region.over)
      ++open_regions;
  });
  tasks.for_each([&](const Task& task) {
    if (task.users.load(std::memory_order_acquire) == 0 ||
        task.state.load(std::memory_order_acquire) == TaskState::kOver)
      return;
    if (open_tasks++ < 5)
      broken(Rule::kEnds, "task %" PRIu64 " of region %" PRIu64 " is not over", task.id,
             task.region->id);
  });
  if (open_regions)
    broken(Rule::kEnds, "%" PRIu64 " regions are not over", open_regions);
  uint64_t open_threads = 0;
  threads.for_each([&](const Thread& thread) {
    open_threads += thread.users.load(std::memory_order_acquire) != 0;
  });
  if (open_threads)
    broken(Rule::kEnds, "%" PRIu64 " threads have not ended", open_threads);
}

} // namespace ompt_check
