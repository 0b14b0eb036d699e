// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Words for the values of omp-tools.h, which are named as there, less their common beginning.
#include <cstdio>
#include <cstring>

#include "rules.h"

namespace ompt_check {

#define CASE(prefix, name)                                                                         \
  case prefix##name:                                                                               \
    return #name;

const char* word_for(ompt_thread_t kind) {
  switch (kind) {
    CASE(ompt_thread_, initial)
    CASE(ompt_thread_, worker)
    CASE(ompt_thread_, other)
    CASE(ompt_thread_, unknown)
  }
  return "?";
}

const char* word_for(ompt_scope_endpoint_t endpoint) {
  switch (endpoint) {
    CASE(ompt_scope_, begin)
    CASE(ompt_scope_, end)
    CASE(ompt_scope_, beginend)
  }
  return "?";
}

const char* word_for(ompt_task_status_t status) {
  switch (status) {
    CASE(ompt_task_, complete)
    CASE(ompt_task_, yield)
    CASE(ompt_task_, cancel)
    CASE(ompt_task_, detach)
    CASE(ompt_task_, early_fulfill)
    CASE(ompt_task_, late_fulfill)
    CASE(ompt_task_, switch)
    CASE(ompt_, taskwait_complete)
  }
  return "?";
}

const char* word_for(ompt_work_t kind) {
  switch (kind) {
    CASE(ompt_work_, loop)
    CASE(ompt_work_, sections)
    CASE(ompt_work_, single_executor)
    CASE(ompt_work_, single_other)
    CASE(ompt_work_, workshare)
    CASE(ompt_work_, distribute)
    CASE(ompt_work_, taskloop)
    CASE(ompt_work_, scope)
    CASE(ompt_work_, loop_static)
    CASE(ompt_work_, loop_dynamic)
    CASE(ompt_work_, loop_guided)
    CASE(ompt_work_, loop_other)
  }
  return "?";
}

const char* word_for(ompt_dispatch_t kind) {
  switch (kind) {
    CASE(ompt_dispatch_, iteration)
    CASE(ompt_dispatch_, section)
    CASE(ompt_dispatch_, ws_loop_chunk)
    CASE(ompt_dispatch_, taskloop_chunk)
    CASE(ompt_dispatch_, distribute_chunk)
  }
  return "?";
}

const char* word_for(ompt_sync_region_t kind) {
  switch (kind) {
    CASE(ompt_sync_region_, barrier)
    CASE(ompt_sync_region_, barrier_implicit)
    CASE(ompt_sync_region_, barrier_explicit)
    CASE(ompt_sync_region_, barrier_implementation)
    CASE(ompt_sync_region_, taskwait)
    CASE(ompt_sync_region_, taskgroup)
    CASE(ompt_sync_region_, reduction)
    CASE(ompt_sync_region_, barrier_implicit_workshare)
    CASE(ompt_sync_region_, barrier_implicit_parallel)
    CASE(ompt_sync_region_, barrier_teams)
  }
  return "?";
}

const char* word_for(ompt_mutex_t kind) {
  switch (kind) {
    CASE(ompt_mutex_, lock)
    CASE(ompt_mutex_, test_lock)
    CASE(ompt_mutex_, nest_lock)
    CASE(ompt_mutex_, test_nest_lock)
    CASE(ompt_mutex_, critical)
    CASE(ompt_mutex_, atomic)
    CASE(ompt_mutex_, ordered)
  }
  return "?";
}

const char* word_for(ompt_dependence_type_t kind) {
  switch (kind) {
    CASE(ompt_dependence_type_, in)
    CASE(ompt_dependence_type_, out)
    CASE(ompt_dependence_type_, inout)
    CASE(ompt_dependence_type_, mutexinoutset)
    CASE(ompt_dependence_type_, source)
    CASE(ompt_dependence_type_, sink)
    CASE(ompt_dependence_type_, inoutset)
    CASE(ompt_dependence_type_, out_all_memory)
    CASE(ompt_dependence_type_, inout_all_memory)
  }
  return "?";
}

const char* word_for(ompt_state_t state) {
  switch (state) {
    CASE(ompt_state_, work_serial)
    CASE(ompt_state_, work_parallel)
    CASE(ompt_state_, work_reduction)
    CASE(ompt_state_, wait_barrier)
    CASE(ompt_state_, wait_barrier_implicit_parallel)
    CASE(ompt_state_, wait_barrier_implicit_workshare)
    CASE(ompt_state_, wait_barrier_implicit)
    CASE(ompt_state_, wait_barrier_explicit)
    CASE(ompt_state_, wait_barrier_implementation)
    CASE(ompt_state_, wait_barrier_teams)
    CASE(ompt_state_, wait_taskwait)
    CASE(ompt_state_, wait_taskgroup)
    CASE(ompt_state_, wait_mutex)
    CASE(ompt_state_, wait_lock)
    CASE(ompt_state_, wait_critical)
    CASE(ompt_state_, wait_atomic)
    CASE(ompt_state_, wait_ordered)
    CASE(ompt_state_, wait_target)
    CASE(ompt_state_, wait_target_map)
    CASE(ompt_state_, wait_target_update)
    CASE(ompt_state_, idle)
    CASE(ompt_state_, overhead)
    CASE(ompt_state_, undefined)
  }
  return "?";
}

#undef CASE

const char* words_for_task(int flags, char* buffer, size_t size) {
  static constexpr struct {
    unsigned flag;
    const char* word;
  } kFlags[] = {
      {ompt_task_initial, "initial"},     {ompt_task_implicit, "implicit"},
      {ompt_task_explicit, "explicit"},   {ompt_task_target, "target"},
      {ompt_task_taskwait, "taskwait"},   {ompt_task_undeferred, "undeferred"},
      {ompt_task_untied, "untied"},       {ompt_task_final, "final"},
      {ompt_task_mergeable, "mergeable"}, {ompt_task_merged, "merged"},
  };
  size_t length = 0;
  buffer[0] = '\0';
  for (const auto& entry : kFlags)
    if (static_cast<unsigned>(flags) & entry.flag && length + 16 < size)
      length += static_cast<size_t>(
          snprintf(buffer + length, size - length, "%s%s", length ? "+" : "", entry.word));
  return buffer;
}

} // namespace ompt_check
