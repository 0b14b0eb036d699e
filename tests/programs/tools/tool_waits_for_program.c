// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tool (OMPT) that waits, while it starts, for a thread of the program that comes to OpenMP
// itself: neither waits for ever, and the tool hears of that thread from its next region on.
// Naive version: threads wait until the tool has started, which it never does.
// xomp-test: flags=-rdynamic threads=2 recorded=0 told=0 compilers=gcc,clang
#include <omp.h>
#include <pthread.h>
#include <unistd.h>

#include "../../../include/omp-tools.h"
#include "check.h"
#include "holds.h"

enum { kThread = 11, kRegion = 22 };

static ompt_get_thread_data_t get_thread_data;
static long regions, implicits; // atomic
static int initialized, began, may_go_on, finalized;

#define ADD(counter, value) __atomic_fetch_add(&counter, value, __ATOMIC_SEQ_CST)
#define READ(word) __atomic_load_n(&word, __ATOMIC_SEQ_CST)

static void await(const int* word) {
  while (!READ(*word))
    usleep(1000);
}

static int team_of_two(void) {
  int members = 0;
#pragma omp parallel num_threads(2) reduction(+ : members)
  members += 1;
  return members;
}

static void* run_program(void* unused) {
  CHECK(team_of_two() == 2);
  __atomic_store_n(&began, 1, __ATOMIC_SEQ_CST);
  await(&may_go_on);
  CHECK(team_of_two() == 2);
  return NULL;
}

static void on_thread_begin(ompt_thread_t kind, ompt_data_t* data) {
  HOLDS(initialized && data->value == 0);
  data->value = kThread;
}
static void on_parallel_begin(ompt_data_t* task, const ompt_frame_t* frame, ompt_data_t* region,
                              unsigned requested, int flags, const void* code) {
  HOLDS(get_thread_data()->value == kThread && task && region->value == 0);
  region->value = kRegion;
  ADD(regions, 1);
}
static void on_parallel_end(ompt_data_t* region, ompt_data_t* task, int flags, const void* code) {
  HOLDS(region->value == kRegion);
}
static void on_implicit(ompt_scope_endpoint_t end, ompt_data_t* region, ompt_data_t* task,
                        unsigned size, unsigned index, int flags) {
  HOLDS(get_thread_data()->value == kThread);
  if (flags & ompt_task_initial || end != ompt_scope_begin)
    return;
  HOLDS(region->value == kRegion);
  ADD(implicits, 1);
}

static pthread_t program;

static int initialize(ompt_function_lookup_t look_up, int device, ompt_data_t* data) {
  ompt_set_callback_t set = (ompt_set_callback_t)look_up("ompt_set_callback");
  get_thread_data = (ompt_get_thread_data_t)look_up("ompt_get_thread_data");
  set(ompt_callback_thread_begin, (ompt_callback_t)on_thread_begin);
  set(ompt_callback_parallel_begin, (ompt_callback_t)on_parallel_begin);
  set(ompt_callback_parallel_end, (ompt_callback_t)on_parallel_end);
  set(ompt_callback_implicit_task, (ompt_callback_t)on_implicit);
  HOLDS(pthread_create(&program, NULL, run_program, NULL) == 0);
  await(&began);
  initialized = 1;
  return 1;
}
static void finalize(ompt_data_t* data) { finalized = 1; }

ompt_start_tool_result_t* ompt_start_tool(unsigned version, const char* runtime) {
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  return &result;
}

static void check_end(void) {
  if (!finalized)
    _exit(2);
}

int main(void) {
  atexit(check_end); // before the tool's, so called after it
  CHECK(team_of_two() == 2);
  CHECK(initialized && READ(regions) == 1 && READ(implicits) == 2);
  __atomic_store_n(&may_go_on, 1, __ATOMIC_SEQ_CST);
  pthread_join(program, NULL);
  CHECK(READ(regions) == 2 && READ(implicits) == 4);
  return 0;
}
