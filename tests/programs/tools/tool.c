// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tool in the program (OMPT): what begins ends, the words that belong to the tool stay what they
// are, tasks are created before they run and over before whoever waits for them goes on, and
// childless waits are told as well.
// xomp-test: flags=-rdynamic schedulers=ws,mts recorded=0 compilers=gcc,clang
#include <omp.h>
#include <string.h>
#include <unistd.h>

#include "../../../include/omp-tools.h"
#include "check.h"
#include "holds.h"

enum { kTasks = 200, kRegions = 20 };

static ompt_get_thread_data_t get_thread_data;
static ompt_get_task_info_t get_task_info;
static ompt_get_parallel_info_t get_parallel_info;
static ompt_get_state_t get_state;

// Atomic.
static long threads, regions, implicits, created, begun, completed, syncs, taskwaits, mutexes,
    rounds, singles, locks;
static int finalized;

#define ADD(counter, value) __atomic_fetch_add(&counter, value, __ATOMIC_RELAXED)

enum { kThread = 11, kRegion = 22, kImplicit = 33, kCreated = 44, kRunning = 55 };

static void on_thread_begin(ompt_thread_t kind, ompt_data_t* data) {
  HOLDS(data->value == 0);
  HOLDS(kind == ompt_thread_initial || kind == ompt_thread_worker);
  data->value = kThread;
  ADD(threads, 1);
}
static void on_thread_end(ompt_data_t* data) {
  HOLDS(data->value == kThread);
  ADD(threads, -1);
}

static void on_parallel_begin(ompt_data_t* task, const ompt_frame_t* frame, ompt_data_t* region,
                              unsigned requested, int flags, const void* code) {
  HOLDS(task->value == kImplicit && region->value == 0 && code);
  HOLDS(frame->enter_frame.ptr && requested > 0);
  HOLDS(flags & ompt_parallel_invoker_runtime);
  region->value = kRegion;
  ADD(regions, 1);
}
static void on_parallel_end(ompt_data_t* region, ompt_data_t* task, int flags, const void* code) {
  HOLDS(region->value == kRegion && task->value == kImplicit && code);
  region->value = 0;
  ADD(regions, -1);
}

static void on_implicit(ompt_scope_endpoint_t end, ompt_data_t* region, ompt_data_t* task,
                        unsigned size, unsigned index, int flags) {
  HOLDS(get_thread_data()->value == kThread);
  if (end == ompt_scope_begin) {
    HOLDS(task->value == 0);
    HOLDS(flags & ompt_task_initial ? size == 1 : region->value == kRegion && index < size);
    task->value = kImplicit;
  } else {
    HOLDS(task->value == kImplicit && !region);
    task->value = 0;
  }
  ADD(implicits, end == ompt_scope_begin ? 1 : -1);
}

static void on_create(ompt_data_t* task, const ompt_frame_t* frame, ompt_data_t* made, int flags,
                      int dependences, const void* code) {
  HOLDS(task->value && frame->enter_frame.ptr && code);
  HOLDS(made->value == 0 && (flags & ompt_task_explicit));
  made->value = kCreated;
  ADD(created, 1);
}
static void on_schedule(ompt_data_t* prior, ompt_task_status_t status, ompt_data_t* next) {
  if (status == ompt_task_complete) {
    HOLDS(prior->value == kRunning);
    prior->value = 0;
    ADD(completed, 1);
  } else if (status == ompt_task_switch || status == ompt_task_yield) {
    HOLDS(prior->value == kImplicit || prior->value == kRunning);
    HOLDS(next->value == kCreated);
    next->value = kRunning;
    ADD(begun, 1);
  }
}

static void on_sync(ompt_sync_region_t kind, ompt_scope_endpoint_t end, ompt_data_t* region,
                    ompt_data_t* task, const void* code) {
  HOLDS(task->value == kImplicit || task->value == kRunning);
  HOLDS(end == ompt_scope_end || region);
  if (kind == ompt_sync_region_taskwait && end == ompt_scope_begin)
    ADD(taskwaits, 1);
  ADD(syncs, end == ompt_scope_begin ? 1 : -1);
}

static void on_acquired(ompt_mutex_t kind, ompt_wait_id_t id, const void* code) {
  HOLDS(id && code && get_state(0) == ompt_state_work_parallel);
  ADD(mutexes, 1);
}
static void on_released(ompt_mutex_t kind, ompt_wait_id_t id, const void* code) {
  HOLDS(id && code);
  ADD(mutexes, -1);
}
static void on_round(ompt_scope_endpoint_t end, ompt_wait_id_t id, const void* code) {
  ADD(rounds, end == ompt_scope_begin ? 1 : 1000);
}
static void on_work(ompt_work_t kind, ompt_scope_endpoint_t end, ompt_data_t* region,
                    ompt_data_t* task, uint64_t count, const void* code) {
  if (kind == ompt_work_single_executor)
    ADD(singles, end == ompt_scope_begin ? 1 : 1000);
}
static void on_lock_init(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t id,
                         const void* code) {
  ADD(locks, 1);
}
static void on_lock_destroy(ompt_mutex_t kind, ompt_wait_id_t id, const void* code) {
  ADD(locks, -1);
}

static int initialize(ompt_function_lookup_t look_up, int device, ompt_data_t* data) {
  ompt_set_callback_t set = (ompt_set_callback_t)look_up("ompt_set_callback");
  get_thread_data = (ompt_get_thread_data_t)look_up("ompt_get_thread_data");
  get_task_info = (ompt_get_task_info_t)look_up("ompt_get_task_info");
  get_parallel_info = (ompt_get_parallel_info_t)look_up("ompt_get_parallel_info");
  get_state = (ompt_get_state_t)look_up("ompt_get_state");
  set(ompt_callback_thread_begin, (ompt_callback_t)on_thread_begin);
  set(ompt_callback_thread_end, (ompt_callback_t)on_thread_end);
  set(ompt_callback_parallel_begin, (ompt_callback_t)on_parallel_begin);
  set(ompt_callback_parallel_end, (ompt_callback_t)on_parallel_end);
  set(ompt_callback_implicit_task, (ompt_callback_t)on_implicit);
  set(ompt_callback_task_create, (ompt_callback_t)on_create);
  set(ompt_callback_task_schedule, (ompt_callback_t)on_schedule);
  set(ompt_callback_sync_region, (ompt_callback_t)on_sync);
  set(ompt_callback_mutex_acquired, (ompt_callback_t)on_acquired);
  set(ompt_callback_mutex_released, (ompt_callback_t)on_released);
  set(ompt_callback_nest_lock, (ompt_callback_t)on_round);
  set(ompt_callback_work, (ompt_callback_t)on_work);
  set(ompt_callback_lock_init, (ompt_callback_t)on_lock_init);
  set(ompt_callback_lock_destroy, (ompt_callback_t)on_lock_destroy);
  return 1;
}

static void finalize(ompt_data_t* data) {
  HOLDS(threads == 0 && regions == 0 && implicits == 0 && syncs == 0);
  HOLDS(mutexes == 0 && locks == 0);
  HOLDS(created == begun && created == completed);
  finalized = 1;
}

ompt_start_tool_result_t* ompt_start_tool(unsigned version, const char* runtime) {
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  return &result;
}

static void here(int thread, int size, int levels) {
  ompt_data_t *task, *region;
  ompt_frame_t* frame;
  int number, flags, team;
  CHECK(get_task_info(0, &flags, &task, &frame, &region, &number) == 2);
  CHECK(task->value == kRunning && (flags & ompt_task_explicit));
  CHECK(frame->exit_frame.ptr && !frame->enter_frame.ptr);
  CHECK(number == thread && region->value == kRegion);
  CHECK(get_parallel_info(0, &region, &team) == 2 && team == size);
  CHECK(get_parallel_info(levels, &region, &team) == 2 && team == 1); // of the initial task
  CHECK(get_parallel_info(levels + 1, &region, &team) == 0);
  CHECK(get_state(0) == ompt_state_work_parallel);
}

static void check_end(void) {
  if (!finalized)
    _exit(2);
}

int main(void) {
  atexit(check_end); // before the tool's, so called after it
  omp_lock_t lock;
  omp_nest_lock_t nest;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest);
  CHECK(locks == 2);
  long done = 0;
  for (int r = 0; r < kRegions; ++r) {
#pragma omp parallel
    {
#pragma omp single
      for (int i = 0; i < kTasks; ++i) {
#pragma omp task shared(done) if (i % 5)
        {
          here(omp_get_thread_num(), omp_get_num_threads(), omp_get_level());
#pragma omp taskwait // for nobody
#pragma omp atomic
          done++;
        }
      }
      omp_set_lock(&lock);
      omp_unset_lock(&lock);
#pragma omp critical
      {
        omp_set_nest_lock(&nest);
        CHECK(omp_test_nest_lock(&nest) == 2);
        omp_unset_nest_lock(&nest);
        omp_unset_nest_lock(&nest);
      }
    }
    CHECK(done == (long)(r + 1) * kTasks);
    CHECK(created == done && completed == done && taskwaits == done);
    CHECK(regions == 0 && mutexes == 0);
    CHECK(singles == (r + 1) * 1001L);
    CHECK(rounds == (r + 1) * 1001L * omp_get_max_threads());
  }
  omp_destroy_nest_lock(&nest);
  omp_destroy_lock(&lock);
  return 0;
}
