// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads, parallel regions, implicit tasks (19.5.2.1 to 19.5.2.4, 19.5.2.11).
#include <cinttypes>

#include "rules.h"

namespace ompt_check {
namespace {

bool one_bit(int flags, int among) {
  auto bits = static_cast<unsigned>(flags & among);
  return bits != 0 && (bits & (bits - 1)) == 0;
}

void check_region_flags(int flags) {
  if (!one_bit(flags, ompt_parallel_invoker_program | ompt_parallel_invoker_runtime))
    broken(Rule::kArguments, "flags %#x do not say who calls the region's code", flags);
  if (!one_bit(flags, static_cast<int>(ompt_parallel_league | ompt_parallel_team)))
    broken(Rule::kArguments, "flags %#x say neither team nor league, or both", flags);
}

void check_index(Region& region, unsigned index, unsigned size) {
  if (index >= size)
    broken(Rule::kImplicit, "index %u in a team of %u", index, size);
  if (index >= 64)
    return;
  uint64_t bit = uint64_t{1} << index;
  // Relaxed: a counter.
  if (region.indices.fetch_or(bit, std::memory_order_relaxed) & bit)
    broken(Rule::kImplicit, "a second implicit task with index %u in region %" PRIu64, index,
           region.id);
}

void check_team_size(Region& region, unsigned size) {
  unsigned known = 0;
  // Relaxed: all write the same.
  if (!region.team_size.compare_exchange_strong(known, size, std::memory_order_relaxed) &&
      known != size)
    broken(Rule::kImplicit, "the team of region %" PRIu64 " has %u threads, and now %u", region.id,
           known, size);
  if (region.requested && size > region.requested)
    broken(Rule::kImplicit, "a team of %u threads where %u were requested", size, region.requested);
}

/// The implicit region around an initial task is not told to begin: it does here.
Region* region_of_initial(ompt_data_t* data) {
  if (data->value == 0)
    return &new_region(data, nullptr, 0, 0);
  return regions.find(data->value);
}

Region* region_of_implicit(ompt_data_t* data, int flags) {
  if (!data) {
    broken(Rule::kData, "an implicit task begins without data of its region");
    return nullptr;
  }
  Region* region = flags & ompt_task_initial ? region_of_initial(data) : regions.find(data->value);
  if (!region || region->over) {
    broken(Rule::kRegions, "an implicit task of a region that has not begun, or is over");
    return nullptr;
  }
  return region;
}

} // namespace

// ---- threads ----

void thread_begins(ompt_thread_t kind, ompt_data_t* data) {
  if (Thread* known = calling_thread()) {
    broken(Rule::kThreads, "it has begun already, as thread %u", known->number);
    return;
  }
  if (kind < ompt_thread_initial || kind > ompt_thread_unknown)
    broken(Rule::kArguments, "a thread of kind %d", kind);
  if (!data) {
    broken(Rule::kData, "a thread begins without data");
    return;
  }
  if (data->value != 0)
    broken(Rule::kData, "the thread's data is not zero at first");
  Thread& thread = threads.take();
  thread.number = next_thread_number();
  thread.kind = kind;
  thread.data = data;
  thread.current = nullptr;
  thread.callbacks = 0;
  thread.asks = false;
  *data = threads.number(thread);
  set_calling_thread(&thread);
}

void thread_ends(Thread& thread, const ompt_data_t* data) {
  if (!data || threads.find(data->value) != &thread)
    broken(Rule::kThreads, "the data is not that of the thread's beginning");
  if (thread.current)
    broken(Rule::kThreads, "it is still in task %" PRIu64, thread.current->id);
  set_calling_thread(nullptr);
  set_thread_ended();
  threads.drop(thread);
}

// ---- regions ----

Region& new_region(ompt_data_t* data, Task* creator, int flags, unsigned requested) {
  Region& region = regions.take();
  region.id = next_region_id();
  region.creator = creator;
  region.flags = flags;
  region.requested = requested;
  region.over = false;
  region.cancelled.store(false, std::memory_order_relaxed);
  // Relaxed: the region's number, which others find it by, is published by the runtime.
  region.team_size.store(0, std::memory_order_relaxed);
  region.begun.store(0, std::memory_order_relaxed);
  region.ended.store(0, std::memory_order_relaxed);
  region.indices.store(0, std::memory_order_relaxed);
  for (std::atomic<int>& open : region.open_tasks)
    open.store(0, std::memory_order_relaxed);
  *data = regions.number(region);
  return region;
}

void region_begins(Thread& thread, const ompt_data_t* task_data, const ompt_frame_t* frame,
                   ompt_data_t* data, unsigned requested, int flags, const void* address) {
  check_address(address, false);
  check_region_flags(flags);
  check_entered_frame(frame);
  if (requested == 0)
    broken(Rule::kArguments, "a region for which no thread is requested");
  Task* creator = current_task(thread, task_data);
  if (!data) {
    broken(Rule::kData, "a region begins without data");
    return;
  }
  if (data->value != 0)
    broken(Rule::kData, "the region's data is not zero at first");
  if (creator)
    tasks.use(*creator);
  new_region(data, creator, flags, requested);
}

void region_ends(Thread& thread, const ompt_data_t* data, const ompt_data_t* task_data, int flags,
                 const void* address) {
  check_address(address, false);
  Task* task = current_task(thread, task_data);
  Region* region = data ? regions.find(data->value) : nullptr;
  if (!region || region->over) {
    broken(Rule::kRegions, "a region ends that has not begun, or is over");
    return;
  }
  if (task && region->creator != task)
    broken(Rule::kRegions,
           "region %" PRIu64 " was begun by task %" PRIu64 ", and is ended by %" PRIu64, region->id,
           id_of(region->creator), task->id);
  if (flags != region->flags)
    broken(Rule::kArguments, "flags %#x at the end, %#x at the beginning", flags, region->flags);
  unsigned begun = region->begun.load(std::memory_order_relaxed);
  unsigned size = region->team_size.load(std::memory_order_relaxed);
  if (begun != size || size == 0)
    broken(Rule::kRegions, "region %" PRIu64 " ends, and %u of its %u implicit tasks have begun",
           region->id, begun, size);
  for (const std::atomic<int>& open : region->open_tasks)
    if (int count = open.load(std::memory_order_relaxed))
      broken(Rule::kWaits, "region %" PRIu64 " ends, and %d of its tasks are not over", region->id,
             count);
  region->over = true;
  Task* creator = region->creator;
  regions.drop(*region);
  drop(creator);
}

// ---- implicit tasks ----

void implicit_begins(Thread& thread, ompt_data_t* region_data, ompt_data_t* data, unsigned size,
                     unsigned index, int flags) {
  if (!one_bit(flags, ompt_task_initial | ompt_task_implicit))
    broken(Rule::kArguments, "flags %#x say neither initial nor implicit task, or both", flags);
  if (size == 0)
    broken(Rule::kArguments, "an implicit task in a team of no threads");
  Region* region = region_of_implicit(region_data, flags);
  if (!region)
    return;
  bool alone = !region->creator; // not of a team or league: told as number 1 of 1
  if (alone) {
    if (size != 1 || index != 1)
      broken(Rule::kImplicit, "an initial task has number %u of %u, not 1 of 1", index, size);
  } else {
    check_index(*region, index, size);
  }
  check_team_size(*region, size);
  // The initial task of a target region begins inside the task that has come to that.
  if (!alone && thread.current && thread.current != region->creator)
    broken(Rule::kImplicit,
           "it begins inside task %" PRIu64 ", which did not begin region %" PRIu64,
           thread.current->id, region->id);
  region->begun.fetch_add(1, std::memory_order_relaxed);
  Task& task = new_task(data, flags, region->creator, region);
  task.index = index;
  task.thread = &thread;
  task.under = thread.current;
  task.state.store(TaskState::kRunning, std::memory_order_relaxed);
  thread.current = &task;
}

void implicit_ends(Thread& thread, const ompt_data_t* region_data, const ompt_data_t* data,
                   unsigned size, unsigned index, int flags) {
  Task* task = named_task(data, "the task that ends");
  if (!task)
    return;
  if (region_data)
    broken(Rule::kArguments, "data of the region at the end of an implicit task: it may be gone");
  if (size != 0)
    broken(Rule::kArguments, "a team size of %u at the end of an implicit task, where 0 is said",
           size);
  if (!task->has_own_index()) {
    broken(Rule::kImplicit, "task %" PRIu64 " is an explicit one", task->id);
    return;
  }
  if (task != thread.current)
    broken(Rule::kImplicit, "task %" PRIu64 " ends, and the thread is in task %" PRIu64, task->id,
           id_of(thread.current));
  if (index != task->index)
    broken(Rule::kImplicit, "index %u at the end, %u at the beginning", index, task->index);
  if ((flags ^ task->flags) & (ompt_task_implicit | ompt_task_initial))
    broken(Rule::kArguments, "flags %#x at the end, %#x at the beginning", flags, task->flags);
  check_nothing_open(*task);
  if (task->region->creator && task->region->team_size.load(std::memory_order_relaxed) > 1 &&
      !task->is(ompt_task_initial) && !task->reached_barrier)
    broken(Rule::kImplicit, "task %" PRIu64 " ends before the barrier at the end of its region",
           task->id);
  task->region->ended.fetch_add(1, std::memory_order_relaxed);
  if (!task->region->creator && !task->region->over) {
    task->region->over = true;
    regions.drop(*task->region);
  }
  if (task == thread.current)
    thread.current = task->under;
  finish(*task);
}

} // namespace ompt_check
