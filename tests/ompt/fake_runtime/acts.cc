// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "acts.h"

#include <pthread.h>

namespace fake {

void thread_begins(ompt_thread_t kind) { CALL(thread_begin, kind, &thread_data); }
void thread_ends() { CALL(thread_end, &thread_data); }

/// The exit frame is older, that is, higher.
static void set_frames(Fake& task, bool entered) {
  uintptr_t base = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  task.frame.exit_frame.ptr =
      task.flags & ompt_task_initial ? nullptr : reinterpret_cast<void*>(base + 64);
  task.frame.enter_frame.ptr = entered ? reinterpret_cast<void*>(base) : nullptr;
}

InRuntime::InRuntime() { set_frames(*current, true); }
InRuntime::~InRuntime() { set_frames(*current, false); }

void begin() {
  thread_begins();
  initial.flags = ompt_task_initial;
  current = &initial;
  set_frames(initial, false);
  CALL(implicit_task, ompt_scope_begin, &initial_region_data, &initial.data, 1, 1,
       ompt_task_initial);
}

void finish() {
  CALL(implicit_task, ompt_scope_end, nullptr, &initial.data, 0, 1, ompt_task_initial);
  thread_ends();
}

void region_begins(unsigned requested, int flags, const void* address) {
  InRuntime inside;
  CALL(parallel_begin, &current->data, &current->frame, &region_data, requested, flags, address);
}

void region_ends(int flags) { CALL(parallel_end, &region_data, &initial.data, flags, here); }

void implicit_begins(Fake& task, unsigned index) {
  task.flags = ompt_task_implicit;
  task.index = static_cast<int>(index);
  CALL(implicit_task, ompt_scope_begin, &region_data, &task.data, static_cast<unsigned>(team_size),
       index, ompt_task_implicit);
  current = &task;
  told_region = &region_data;
  state = ompt_state_work_parallel;
  set_frames(task, false);
}

void implicit_ends(Fake& task) {
  CALL(implicit_task, ompt_scope_end, nullptr, &task.data, 0, static_cast<unsigned>(task.index),
       ompt_task_implicit);
  current = &initial;
  told_region = &initial_region_data;
  state = ompt_state_work_serial;
}

void into_region() {
  region_begins();
  implicit_begins();
}
void out_of_region() {
  implicit_ends();
  region_ends();
}

void create(Fake& task, int flags, int dependences, const void* address) {
  InRuntime inside;
  task.flags = flags;
  CALL(task_create, &current->data, &current->frame, &task.data, flags, dependences, address);
}

void schedule(Fake& prior, ompt_task_status_t status, Fake& next) {
  CALL(task_schedule, &prior.data, status, &next.data);
  current = &next;
  set_frames(next, false);
}

void run(Fake& task) {
  Fake& by = *current;
  schedule(by, ompt_task_switch, task);
  schedule(task, ompt_task_complete, by);
}

static ompt_data_t* region_of_now() { return told_region; }

void sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint) {
  InRuntime inside;
  CALL(sync_region, kind, endpoint, region_of_now(), &current->data, here);
}
void wait_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint) {
  InRuntime inside;
  CALL(sync_region_wait, kind, endpoint, region_of_now(), &current->data, here);
}

static int state_for(ompt_sync_region_t kind) {
  return kind == ompt_sync_region_taskwait    ? ompt_state_wait_taskwait
         : kind == ompt_sync_region_taskgroup ? ompt_state_wait_taskgroup
                                              : ompt_state_wait_barrier_explicit;
}

void enter(ompt_sync_region_t kind) {
  sync_region(kind, ompt_scope_begin);
  wait_region(kind, ompt_scope_begin);
  state = state_for(kind);
}
void leave(ompt_sync_region_t kind) {
  wait_region(kind, ompt_scope_end);
  state = ompt_state_work_parallel;
  sync_region(kind, ompt_scope_end);
}
void wait_at(ompt_sync_region_t kind) {
  enter(kind);
  leave(kind);
}

void work(ompt_work_t kind, ompt_scope_endpoint_t endpoint) {
  CALL(work, kind, endpoint, region_of_now(), &current->data, 1, here);
}

void acquire(ompt_mutex_t kind, uint64_t mutex) { CALL(mutex_acquire, kind, 0, 0, mutex, here); }
void acquired(ompt_mutex_t kind, uint64_t mutex) { CALL(mutex_acquired, kind, mutex, here); }
void released(ompt_mutex_t kind, uint64_t mutex) { CALL(mutex_released, kind, mutex, here); }

void on_another_thread(void (*function)()) {
  static void (*what)();
  what = function;
  pthread_t thread;
  pthread_create(
      &thread, nullptr,
      [](void*) -> void* {
        thread_begins(ompt_thread_worker);
        current = &other_implicit;
        what();
        thread_ends();
        return nullptr;
      },
      nullptr);
  pthread_join(thread, nullptr);
}

} // namespace fake
