// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "records.h"

namespace ompt_check {
namespace {

thread_local Thread* current_thread;
thread_local bool has_ended;
std::atomic<uint64_t> region_ids{0}, task_ids{0};
std::atomic<unsigned> thread_numbers{0};

} // namespace

Thread* calling_thread() { return current_thread; }
void set_calling_thread(Thread* thread) { current_thread = thread; }
bool thread_ended() { return has_ended; }
void set_thread_ended() { has_ended = true; }
unsigned calling_thread_number() { return current_thread ? current_thread->number : 0; }

uint64_t next_region_id() { return region_ids.fetch_add(1, std::memory_order_relaxed) + 1; }
uint64_t next_task_id() { return task_ids.fetch_add(1, std::memory_order_relaxed) + 1; }
unsigned next_thread_number() { return thread_numbers.fetch_add(1, std::memory_order_relaxed) + 1; }

uint64_t task_id(const ompt_data_t* data) { return data ? id_of(tasks.find(data->value)) : 0; }
uint64_t region_id(const ompt_data_t* data) { return data ? id_of(regions.find(data->value)) : 0; }

void drop(Task* task) {
  while (task && tasks.last_use(*task)) {
    Task* parent = task->parent;
    tasks.give_back(*task);
    task = parent;
  }
}

void use(Group* group) {
  if (group)
    group->users.fetch_add(1, std::memory_order_relaxed);
}

void drop(Group* group) {
  // Acquire and release: the last one sees what all others did with it.
  while (group && group->users.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    Group* outer = group->outer;
    free(group);
    group = outer;
  }
}

bool is_barrier(int sync_kind) {
  switch (sync_kind) {
  case ompt_sync_region_taskwait:
  case ompt_sync_region_taskgroup:
  case ompt_sync_region_reduction:
    return false;
  default:
    return true;
  }
}

ompt_mutex_t plain_kind(ompt_mutex_t kind) {
  if (kind == ompt_mutex_test_lock)
    return ompt_mutex_lock;
  return kind == ompt_mutex_test_nest_lock ? ompt_mutex_nest_lock : kind;
}

bool Task::in(Construct construct, int kind) const {
  for (uint32_t i = open.size; i-- > 0;)
    if (open.items[i].construct == construct && open.items[i].kind == kind)
      return true;
  return false;
}

bool Task::in_barrier() const {
  for (uint32_t i = open.size; i-- > 0;)
    if (open.items[i].construct == Construct::kSync && is_barrier(open.items[i].kind))
      return true;
  return false;
}

void Task::abandon() {
  for (; open.size > 0; --open.size)
    drop(open.last().group);
  group = home;
}

void Task::release() {
  abandon();
  open.clear();
  held.clear();
  sources.clear();
}

} // namespace ompt_check
