// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread of the program ends while events of tasks from its sequential part are open: they may be
// fulfilled later, by a thread that never used OpenMP, or at the same moment; what they make ready
// runs, not in the fulfilling thread, which may hold locks; and nothing is kept of each thread.
// Naive versions: the team is freed with its thread, or never, or the thread does not end.
// xomp-test: threads=1,2 timeout=60 compilers=gcc,clang
#include <omp.h>
#include <pthread.h>
#include <unistd.h>

#include "process.h"

static omp_event_handle_t first, second;
static int x, y;           // only named
static int started, ended; // atomic, as the following
static int successors, inner;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void set(int* flag) { __atomic_fetch_add(flag, 1, __ATOMIC_ACQ_REL); }
static int get(int* flag) { return __atomic_load_n(flag, __ATOMIC_ACQUIRE); }
static void await(int* flag, int value) {
  for (int i = 0; get(flag) < value; ++i) {
    CHECK(i < 200000);
    usleep(100);
  }
}

static void successor(void) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  for (int i = 0; i < 3; ++i) {
#pragma omp task
    set(&inner);
  }
#pragma omp taskwait
#pragma omp parallel num_threads(2)
  set(&inner);
  set(&successors);
}

static void begin_detached(omp_event_handle_t* handle, omp_event_handle_t event) {
  *handle = event;
  set(&started);
}

static void create(void) {
  omp_event_handle_t event;
#pragma omp task detach(event) depend(out : x)
  begin_detached(&first, event);
#pragma omp task depend(in : x)
  successor();
#pragma omp task depend(in : x) depend(out : y) detach(event)
  begin_detached(&second, event);
#pragma omp task depend(inout : y)
  successor();
}

static void* create_and_end(void* unused) {
  create();
  return unused;
}

static void* create_and_wait(void* unused) {
  create();
  set(&ended); // about to
  await(&ended, 2);
  return unused;
}

static pthread_t begin(void* (*body)(void*)) {
  started = ended = successors = inner = 0;
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, body, NULL) == 0);
  await(&started, 1);
  return thread;
}

static void one_after_the_other(void) {
  CHECK(pthread_join(begin(create_and_end), NULL) == 0);
  pthread_mutex_lock(&mutex);
  omp_fulfill_event(first);
  pthread_mutex_unlock(&mutex);
  await(&started, 2);
  await(&successors, 1);
  pthread_mutex_lock(&mutex);
  omp_fulfill_event(second);
  pthread_mutex_unlock(&mutex);
  await(&successors, 2);
  CHECK(get(&inner) == 10);
}

// Fulfilled while the thread is there, which comes to no task scheduling point any more.
static void at_the_end(void) {
  pthread_t thread = begin(create_and_wait);
  await(&ended, 1);
  omp_fulfill_event(first);
  CHECK(get(&started) == 1);
  set(&ended);
  CHECK(pthread_join(thread, NULL) == 0);
  CHECK(get(&started) == 2 && get(&successors) == 1);
  omp_fulfill_event(second);
  await(&successors, 2);
}

static void at_the_same_time(void) {
  pthread_t thread = begin(create_and_end);
  omp_fulfill_event(first);
  await(&started, 2);
  omp_fulfill_event(second);
  CHECK(pthread_join(thread, NULL) == 0);
  await(&successors, 2);
}

// A tool counts those that stand in for the threads that have ended, and are not told to end with
// the process.
static void await_threads(long count) {
  for (int i = 0; thread_count() > count; ++i) {
    CHECK(i < 200000);
    usleep(100);
  }
}

static void* nothing(void* unused) {
  set(&started);
  return unused;
}

int main(void) {
  enum { kRounds = 150 };
  CHECK(pthread_join(begin(nothing), NULL) == 0); // with which a sanitizer's own thread comes
#pragma omp task                                  // a recorder may begin with it
  set(&inner);
  long threads = thread_count();
  long before = 0;
  for (int i = 0; i < kRounds; ++i) {
    if (i == kRounds / 3)
      before = resident_kilobytes();
    one_after_the_other();
    at_the_end();
    at_the_same_time();
  }
  long after = resident_kilobytes();
  fprintf(stderr, "%ld KB, then %ld KB\n", before, after);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  CHECK(after - before < 4096);
#endif
  await_threads(threads);
  return 0;
}
