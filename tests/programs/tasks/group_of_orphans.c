// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The end of a taskgroup may be the only place where a task can run that an event has made ready
// and whose parent has ended: however its ancestors were run, and however far above it the group
// is. Naive versions: the group's task has no deferred child of its own, so nothing is known to
// descend from it; or the search for ancestors gives up.
// xomp-test: threads=1,2,4 timeout=60 compilers=gcc,clang
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "check.h"

enum { kMost = 8 };

static omp_event_handle_t events[kMost];
static atomic_int given, done;
static int expected;
static omp_nest_lock_t lock;
static int x[kMost];

static void* fulfil(void* unused) {
  while (given < expected)
    usleep(1000);
  usleep(20000); // the waiting threads sleep
  for (int i = 0; i < expected; i++)
    omp_fulfill_event(events[i]);
  return unused;
}

static void leave_behind(int i) {
  omp_event_handle_t event;
#pragma omp task detach(event) depend(out : x[i])
  {
    events[i] = event;
    given++;
  }
#pragma omp task depend(in : x[i])
  done++;
}

static void descend(int levels) {
  omp_set_nest_lock(&lock); // makes the task one that descendants are looked up from
  omp_unset_nest_lock(&lock);
  if (levels == 0)
    return leave_behind(0);
#pragma omp task
  descend(levels - 1);
}

static void with_fulfiller(int events_expected, void (*region)(int), int argument) {
  expected = events_expected;
  given = done = 0;
  pthread_t thread;
  pthread_create(&thread, NULL, fulfil, NULL);
  region(argument);
  pthread_join(thread, NULL);
  CHECK(done == expected);
}

static void one_group(int unused) {
#pragma omp parallel
#pragma omp master
#pragma omp taskgroup
  {
#pragma omp task
    leave_behind(unused);
  }
}

static void group_of_each(int unused) {
  (void)unused;
#pragma omp parallel
#pragma omp taskgroup
  {
#pragma omp task if (0)
    leave_behind(omp_get_thread_num());
  }
}

static void group_in_task(int unused) {
#pragma omp parallel
#pragma omp master
#pragma omp task
#pragma omp taskgroup
  {
#pragma omp task if (0)
    leave_behind(unused);
  }
}

static void deep(int levels) {
#pragma omp parallel
#pragma omp master
  {
    omp_set_nest_lock(&lock);
    omp_unset_nest_lock(&lock);
#pragma omp taskgroup
    descend(levels);
  }
}

int main(void) {
  int threads = omp_get_max_threads();
  CHECK(threads <= kMost);
  omp_init_nest_lock(&lock);
  with_fulfiller(1, one_group, 0);
  with_fulfiller(threads, group_of_each, 0);
  with_fulfiller(1, group_in_task, 0);
  for (int levels = 60; levels < 70; levels++)
    with_fulfiller(1, deep, levels);
  with_fulfiller(1, deep, 1000);
  omp_destroy_nest_lock(&lock);
}
