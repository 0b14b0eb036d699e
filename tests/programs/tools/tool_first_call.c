// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tool in the program (OMPT) starts with the first routine that is called, outside of any region,
// and hears of the calling thread; also with those routines that can answer without knowing who
// asks. Naive version: only the first region or the first change of a control variable starts it.
// xomp-test: flags=-rdynamic threads=2 recorded=0 told=0 compilers=gcc,clang
#include <omp.h>
#include <stdio.h>

#include "../../../include/omp-tools.h"
#include "process.h"

static int threads; // that the tool has heard of

static void on_thread_begin(ompt_thread_t kind, ompt_data_t* data) {
  threads += kind == ompt_thread_initial;
}
static int initialize(ompt_function_lookup_t look_up, int device, ompt_data_t* data) {
  ompt_set_callback_t set = (ompt_set_callback_t)look_up("ompt_set_callback");
  set(ompt_callback_thread_begin, (ompt_callback_t)on_thread_begin);
  return 1;
}
static void finalize(ompt_data_t* data) {}

ompt_start_tool_result_t* ompt_start_tool(unsigned version, const char* runtime) {
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  return &result;
}

// In a process that has not called any before.
#define STARTS(call)                                                                               \
  do {                                                                                             \
    pid_t child = fork();                                                                          \
    CHECK(child >= 0);                                                                             \
    if (child == 0) {                                                                              \
      freopen("/dev/null", "w", stderr);                                                           \
      call;                                                                                        \
      _exit(threads == 1 ? 0 : 1);                                                                 \
    }                                                                                              \
    int status;                                                                                    \
    CHECK(waitpid(child, &status, 0) == child);                                                    \
    if (status != 0)                                                                               \
      fprintf(stderr, "%s: status %d\n", #call, status);                                           \
    failures += status != 0;                                                                       \
  } while (0)

int main(void) {
  int failures = 0, numbers[1024];
  char text[64];
  omp_sched_t kind;
  omp_lock_t lock;
  omp_nest_lock_t nest_lock;
  STARTS(omp_get_num_threads());
  STARTS(omp_get_max_threads());
  STARTS(omp_set_num_threads(2));
  STARTS(omp_get_num_procs());
  STARTS(omp_in_parallel());
  STARTS(omp_in_final());
  STARTS(omp_get_dynamic());
  STARTS(omp_set_dynamic(0));
  STARTS(omp_get_cancellation());
  STARTS(omp_get_schedule(&kind, numbers));
  STARTS(omp_set_schedule(omp_sched_static, 0));
  STARTS(omp_get_thread_limit());
  STARTS(omp_get_max_active_levels());
  STARTS(omp_set_max_active_levels(1));
  STARTS(omp_get_level());
  STARTS(omp_get_active_level());
  STARTS(omp_get_ancestor_thread_num(0));
  STARTS(omp_get_team_size(0));
  STARTS(omp_get_proc_bind());
  STARTS(omp_get_num_places());
  STARTS(omp_get_place_num_procs(0));
  STARTS(omp_get_place_proc_ids(0, numbers));
  STARTS(omp_get_place_num());
  STARTS(omp_get_partition_num_places());
  STARTS(omp_get_partition_place_nums(numbers));
  STARTS(omp_set_affinity_format("%n"));
  STARTS(omp_get_affinity_format(text, sizeof text));
  STARTS(omp_display_affinity("%n"));
  STARTS(omp_capture_affinity(text, sizeof text, "%n"));
  STARTS(omp_get_default_device());
  STARTS(omp_set_default_device(0));
  STARTS(omp_get_num_teams());
  STARTS(omp_get_team_num());
  STARTS(omp_get_max_teams());
  STARTS(omp_set_num_teams(1));
  STARTS(omp_get_teams_thread_limit());
  STARTS(omp_set_teams_thread_limit(1));
  STARTS(omp_get_max_task_priority());
  STARTS(omp_init_lock(&lock));
  STARTS(omp_init_nest_lock(&nest_lock));
  STARTS(omp_get_wtick());
  STARTS(omp_display_env(0));
  STARTS(omp_init_allocator(omp_default_mem_space, 0, NULL));
  STARTS(omp_get_default_allocator());
  STARTS(omp_set_default_allocator(omp_default_mem_alloc));
  STARTS(omp_alloc(0, omp_default_mem_alloc));
  STARTS(omp_free(NULL, omp_null_allocator));
  CHECK(failures == 0);
  return 0;
}
