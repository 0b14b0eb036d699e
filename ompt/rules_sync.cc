// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a task begins and ends while it runs: barriers, taskwaits, taskgroups, worksharing, masked,
// reductions (19.5.2.12 to 19.5.2.16).
#include <cinttypes>
#include <cstdlib>
#include <new>

#include "rules.h"

namespace ompt_check {
namespace {

constexpr const char* kWords[] = {"a synchronization", "a wait", "worksharing", "masked",
                                  "a reduction"};

const char* word(Construct construct) { return kWords[static_cast<int>(construct)]; }

void open_group(Task& task, Open& item) {
  void* memory = malloc(sizeof(Group));
  if (!memory)
    abort();
  auto* group = new (memory) Group;
  group->outer = task.group;
  use(group->outer);
  item.group = task.group = group;
}

void begin(Task& task, Construct construct, int kind) {
  Open item = {construct, kind, nullptr};
  if (construct == Construct::kSync && kind == ompt_sync_region_taskgroup)
    open_group(task, item);
  task.open.push(item);
}

/// Takes the construct off the task's list, with what should have been ended before it.
bool end(Task& task, Construct construct, int kind) {
  if (!task.in(construct, kind)) {
    broken(Rule::kNesting, "task %" PRIu64 " ends %s of kind %d, which it has not begun", task.id,
           word(construct), kind);
    return false;
  }
  for (bool found = false; !found; --task.open.size) {
    Open& last = task.open.last();
    found = last.construct == construct && last.kind == kind;
    if (!found)
      broken(Rule::kNesting,
             "task %" PRIu64 " ends %s of kind %d, before %s of kind %d that it began later",
             task.id, word(construct), kind, word(last.construct), last.kind);
    if (last.group) {
      task.group = last.group->outer;
      drop(last.group);
    }
  }
  return true;
}

/// The innermost construct is the synchronization that this wait is part of.
void check_inside(const Task& task, int kind) {
  if (task.open.size == 0 || task.open.items[task.open.size - 1].construct != Construct::kSync ||
      task.open.items[task.open.size - 1].kind != kind)
    broken(Rule::kNesting,
           "task %" PRIu64 " begins a wait of kind %d outside of such a synchronization", task.id,
           kind);
}

/// A barrier ends: no task that it waits for is left.
void barrier_over(Task& task) {
  task.reached_barrier = true;
  int left = task.region->open_tasks[task.barrier & 1].load(std::memory_order_acquire);
  // Relaxed: who cancels has told so before anybody could know.
  if (left != 0 && !task.region->cancelled.load(std::memory_order_relaxed))
    broken(Rule::kWaits, "task %" PRIu64 " leaves a barrier, and %d explicit tasks are not over",
           task.id, left);
  ++task.barrier;
}

void sync_over(Task& task, ompt_sync_region_t kind) {
  if (kind == ompt_sync_region_taskwait && !task.waits_for_some) {
    int left = task.children.load(std::memory_order_acquire);
    if (left != 0)
      broken(Rule::kWaits,
             "task %" PRIu64 " leaves a taskwait, and %d of its children are not over", task.id,
             left);
  } else if (is_barrier(kind)) {
    barrier_over(task);
  }
}

void check_group(const Task& task) {
  // The innermost is the one that ends, if the nesting is right.
  int left = task.group ? task.group->open.load(std::memory_order_acquire) : 0;
  if (left != 0)
    broken(Rule::kWaits, "task %" PRIu64 " leaves a taskgroup, and %d tasks in it are not over",
           task.id, left);
}

bool known(ompt_sync_region_t kind) {
  return kind >= ompt_sync_region_barrier && kind <= ompt_sync_region_barrier_teams;
}

/// Null where the program has no call: in barriers that it did not write.
bool without_call(ompt_sync_region_t kind) {
  return is_barrier(kind) && kind != ompt_sync_region_barrier_explicit;
}

/// The implicit tasks' code is over, so they have no frames.
bool at_end(ompt_sync_region_t kind) {
  return kind == ompt_sync_region_barrier_implicit_parallel ||
         kind == ompt_sync_region_barrier_implicit || kind == ompt_sync_region_barrier_teams;
}

/// The task of a synchronization's callback, after all arguments were looked at.
Task* checked(Thread& thread, ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
              const ompt_data_t* region_data, const ompt_data_t* data, const void* address) {
  check_endpoint(endpoint);
  if (!known(kind)) {
    broken(Rule::kArguments, "a synchronization of kind %d", kind);
    return nullptr;
  }
  check_address(address, without_call(kind));
  Task* task = current_task(thread, data);
  if (!task)
    return nullptr;
  check_region(*task, region_data, ends(endpoint) && without_call(kind));
  if (is_barrier(kind) && !task->has_own_index())
    broken(Rule::kNesting, "explicit task %" PRIu64 " at a barrier", task->id);
  return task;
}

} // namespace

void sync_told(Thread& thread, ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
               const ompt_data_t* region_data, const ompt_data_t* data, const void* address) {
  Task* task = checked(thread, kind, endpoint, region_data, data, address);
  if (!task)
    return;
  if (begins(endpoint)) {
    check_context(thread, at_end(kind) ? Frame::kLeft : Frame::kAny);
    begin(*task, Construct::kSync, kind);
  }
  if (!ends(endpoint))
    return;
  if (kind == ompt_sync_region_taskgroup && task->in(Construct::kSync, kind))
    check_group(*task);
  if (end(*task, Construct::kSync, kind))
    sync_over(*task, kind);
}

void wait_told(Thread& thread, ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
               const ompt_data_t* region_data, const ompt_data_t* data, const void* address) {
  Task* task = checked(thread, kind, endpoint, region_data, data, address);
  if (!task)
    return;
  if (begins(endpoint)) {
    check_inside(*task, kind);
    check_context(thread, at_end(kind) ? Frame::kLeft : Frame::kEntered);
    begin(*task, Construct::kWait, kind);
  }
  if (ends(endpoint)) {
    check_waits(thread);
    end(*task, Construct::kWait, kind);
  }
}

void reduction_told(Thread& thread, ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
                    const ompt_data_t* region_data, const ompt_data_t* data, const void* address) {
  check_endpoint(endpoint);
  if (kind != ompt_sync_region_reduction)
    broken(Rule::kArguments, "a reduction of kind %d", kind);
  check_address(address, true);
  Task* task = current_task(thread, data);
  if (!task)
    return;
  check_region(*task, region_data, true);
  if (begins(endpoint))
    begin(*task, Construct::kReduction, kind);
  if (ends(endpoint))
    end(*task, Construct::kReduction, kind);
}

void work_told(Thread& thread, ompt_work_t kind, ompt_scope_endpoint_t endpoint,
               const ompt_data_t* region_data, const ompt_data_t* data, const void* address) {
  check_endpoint(endpoint);
  if (kind < ompt_work_loop || kind > ompt_work_loop_other || kind == 9)
    broken(Rule::kArguments, "worksharing of kind %d", kind);
  check_address(address, false);
  Task* task = current_task(thread, data);
  if (!task)
    return;
  check_region(*task, region_data, false);
  if (begins(endpoint)) {
    check_context(thread, Frame::kAny);
    begin(*task, Construct::kWork, kind);
  }
  if (ends(endpoint))
    end(*task, Construct::kWork, kind);
}

void masked_told(Thread& thread, ompt_scope_endpoint_t endpoint, const ompt_data_t* region_data,
                 const ompt_data_t* data, const void* address) {
  check_endpoint(endpoint);
  check_address(address, false);
  Task* task = current_task(thread, data);
  if (!task)
    return;
  check_region(*task, region_data, false);
  if (begins(endpoint))
    begin(*task, Construct::kMasked, 0);
  if (ends(endpoint))
    end(*task, Construct::kMasked, 0);
}

void dispatch_told(Thread& thread, const ompt_data_t* region_data, const ompt_data_t* data,
                   ompt_dispatch_t kind, ompt_data_t instance) {
  if (kind < ompt_dispatch_iteration || kind > ompt_dispatch_distribute_chunk)
    broken(Rule::kArguments, "a dispatch of kind %d", kind);
  if (kind == ompt_dispatch_section)
    check_address(instance.ptr, false);
  Task* task = current_task(thread, data);
  if (!task)
    return;
  check_region(*task, region_data, false);
  for (uint32_t i = 0; i < task->open.size; ++i)
    if (task->open.items[i].construct == Construct::kWork)
      return;
  if (kind != ompt_dispatch_taskloop_chunk) // told in the chunk's own task
    broken(Rule::kNesting, "a dispatch in task %" PRIu64 ", which has begun no worksharing",
           task->id);
}

} // namespace ompt_check
