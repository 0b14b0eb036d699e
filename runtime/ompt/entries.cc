// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A signal handler may call what asks for states, tasks and regions (19.6.1), so nothing here locks
// or allocates: they read what the interrupted thread itself has written.
#include "ompt/entries.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include <sched.h>

#include "conf/settings.h"
#include "ompt/callbacks.h"
#include "ompt/tool.h"
#include "ompt/tool_events.h"
#include "place/places.h"

namespace xomp::trace {
namespace {

struct NamedNumber {
  int number;
  const char* name;
};

constexpr NamedNumber kStates[] = {
    {ompt_state_work_serial, "ompt_state_work_serial"},
    {ompt_state_work_parallel, "ompt_state_work_parallel"},
    {ompt_state_wait_barrier_implicit_parallel, "ompt_state_wait_barrier_implicit_parallel"},
    {ompt_state_wait_barrier_implicit_workshare, "ompt_state_wait_barrier_implicit_workshare"},
    {ompt_state_wait_barrier_explicit, "ompt_state_wait_barrier_explicit"},
    {ompt_state_wait_taskwait, "ompt_state_wait_taskwait"},
    {ompt_state_wait_taskgroup, "ompt_state_wait_taskgroup"},
    {ompt_state_wait_lock, "ompt_state_wait_lock"},
    {ompt_state_wait_critical, "ompt_state_wait_critical"},
    {ompt_state_wait_atomic, "ompt_state_wait_atomic"},
    {ompt_state_wait_ordered, "ompt_state_wait_ordered"},
    {ompt_state_idle, "ompt_state_idle"},
    {ompt_state_overhead, "ompt_state_overhead"},
};
constexpr NamedNumber kMutexes[] = {
    {kToolMutex, "xomp_mutex"}, // spins, then sleeps on a futex
};

/// The one behind `current`, or the first when that is `before_first`.
template <std::size_t N>
int enumerate(const NamedNumber (&all)[N], int before_first, int current, int* next,
              const char** name) {
  std::size_t at = 0;
  if (current != before_first) {
    while (at < N && all[at].number != current)
      ++at;
    ++at;
  }
  if (at >= N)
    return 0;
  *next = all[at].number;
  *name = all[at].name;
  return 1;
}

/// ompt_state_undefined stands for the beginning.
int enumerate_states(int current, int* next, const char** name) {
  return enumerate(kStates, ompt_state_undefined, current, next, name);
}

int enumerate_mutex_impls(int current, int* next, const char** name) {
  return enumerate(kMutexes, ompt_mutex_impl_none, current, next, name);
}

ompt_data_t* get_thread_data() { return own_track ? &own_track->tool.data : nullptr; }

int get_state(ompt_wait_id_t* wait_id) {
  if (!own_track)
    return ompt_state_undefined;
  if (wait_id)
    *wait_id = own_track->tool.wait_id;
  return own_track->tool.state;
}

ToolRegion* region_of(const TaskTrace* task) {
  return task && is_in(task->tool) ? task->tool.region : nullptr;
}

/// What is suspended below it: on the same stack, or where its region was opened.
const TaskTrace* below(const TaskTrace& task) {
  if (task.outer)
    return task.outer;
  ToolRegion* region = region_of(&task);
  return region ? region->encountered : nullptr;
}

/// Whether nothing may be looked at but the task that the thread is in: it waits at the end of its
/// region, and the primary thread may go on at any moment and end what that is in.
bool alone() { return own_track->current && own_track->current->tool.at_join; }

TaskTrace* ancestor(int level) {
  const TaskTrace* task = own_track && level >= 0 ? own_track->current : nullptr;
  if (level > 0 && task && alone())
    return nullptr;
  for (; task && level > 0; --level)
    task = below(*task);
  return const_cast<TaskTrace*>(task);
}

template <class T> void answer(T* to, T value) {
  if (to)
    *to = value;
}

int get_parallel_info(int level, ompt_data_t** parallel_data, int* team_size) {
  ToolRegion* region = level >= 0 ? region_of(ancestor(0)) : nullptr;
  if (region && level > 0 && alone())
    return 0;
  for (; region && level > 0; --level)
    region = region->outer;
  if (!region)
    return 0;
  answer(parallel_data, &region->data);
  answer(team_size, region->threads);
  return 2;
}

int get_task_info(int level, int* flags, ompt_data_t** task_data, ompt_frame_t** task_frame,
                  ompt_data_t** parallel_data, int* thread_num) {
  TaskTrace* task = ancestor(level);
  if (!task)
    return 0;
  ToolRegion* region = region_of(task);
  answer(flags, task->tool.flags);
  answer(task_data, &task->tool.data);
  answer(task_frame, &task->tool.frame);
  answer(parallel_data, region ? &region->data : nullptr);
  answer(thread_num, task->tool.thread_num);
  return 2;
}

/// Of the current task's arguments, which are one block.
int get_task_memory(void** address, std::size_t* size, int block) {
  TaskTrace* task = block == 0 ? ancestor(0) : nullptr;
  answer(address, task ? task->tool.memory : nullptr);
  answer(size, task ? task->tool.bytes : 0);
  return 0; // no further ones
}

int get_num_procs() { return settings.processors; }
int get_num_places() { return place_count(); }

int get_place_proc_ids(int place, int size, int* ids) {
  if (place < 0 || place >= place_count())
    return 0;
  int count = place_processor_count(place);
  if (ids && size >= count)
    place_processor_ids(place, ids);
  return count;
}

const PlacePartition* partition() {
  return own_track && place_count() ? own_track->tool.places : nullptr;
}

int get_place_num() { return partition() ? partition()->place : -1; }

int get_partition_place_nums(int size, int* nums) {
  const PlacePartition* places = partition();
  int count = places ? std::max(places->count(), 0) : 0;
  for (int i = 0; nums && i < std::min(size, count); ++i)
    nums[i] = places->first + i;
  return count;
}

int get_proc_id() { return sched_getcpu(); }

/// There is no target region on a device that a thread could be in.
int get_target_info(uint64_t*, ompt_id_t*, ompt_id_t*) { return 0; }
int get_num_devices() { return 0; }

uint64_t get_unique_id() {
  static constinit std::atomic<uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

void finalize_tool() { end_tool(); }

struct Entry {
  const char* name;
  ompt_interface_fn_t function;
};

template <class Signature> ompt_interface_fn_t as_entry(Signature function) {
  return reinterpret_cast<ompt_interface_fn_t>(function);
}

} // namespace

ompt_interface_fn_t look_up_entry(const char* name) {
  // The types are those of the standard: a mistake in a signature does not compile.
  const Entry entries[] = {
      {"ompt_enumerate_states", as_entry<ompt_enumerate_states_t>(enumerate_states)},
      {"ompt_enumerate_mutex_impls", as_entry<ompt_enumerate_mutex_impls_t>(enumerate_mutex_impls)},
      {"ompt_set_callback", as_entry<ompt_set_callback_t>(set_callback)},
      {"ompt_get_callback", as_entry<ompt_get_callback_t>(get_callback)},
      {"ompt_get_thread_data", as_entry<ompt_get_thread_data_t>(get_thread_data)},
      {"ompt_get_num_procs", as_entry<ompt_get_num_procs_t>(get_num_procs)},
      {"ompt_get_num_places", as_entry<ompt_get_num_places_t>(get_num_places)},
      {"ompt_get_place_proc_ids", as_entry<ompt_get_place_proc_ids_t>(get_place_proc_ids)},
      {"ompt_get_place_num", as_entry<ompt_get_place_num_t>(get_place_num)},
      {"ompt_get_partition_place_nums",
       as_entry<ompt_get_partition_place_nums_t>(get_partition_place_nums)},
      {"ompt_get_proc_id", as_entry<ompt_get_proc_id_t>(get_proc_id)},
      {"ompt_get_state", as_entry<ompt_get_state_t>(get_state)},
      {"ompt_get_parallel_info", as_entry<ompt_get_parallel_info_t>(get_parallel_info)},
      {"ompt_get_task_info", as_entry<ompt_get_task_info_t>(get_task_info)},
      {"ompt_get_task_memory", as_entry<ompt_get_task_memory_t>(get_task_memory)},
      {"ompt_get_target_info", as_entry<ompt_get_target_info_t>(get_target_info)},
      {"ompt_get_num_devices", as_entry<ompt_get_num_devices_t>(get_num_devices)},
      {"ompt_get_unique_id", as_entry<ompt_get_unique_id_t>(get_unique_id)},
      {"ompt_finalize_tool", as_entry<ompt_finalize_tool_t>(finalize_tool)},
  };
  for (const Entry& entry : entries)
    if (std::strcmp(entry.name, name) == 0)
      return entry.function;
  return nullptr;
}

} // namespace xomp::trace
