// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// taskyield finds what the task may start, although for long there was nothing: in tasks that had
// no children before, with events and dependences, in nested regions, on threads of the program's
// own. Naive version: who once had nothing to look for never looks again.
// xomp-test: threads=1,2,4 schedulers=slb,xqueue-ws,na-ws,q,ws timeout=60 compilers=gcc,clang
#include <omp.h>
#include <pthread.h>

#include "check.h"
#include "polling.h"

static char order; // its address

static void yield_often(int times) {
  for (int i = 0; i < times; ++i) {
#pragma omp taskyield
  }
}

static void yield_until(const atomic_int* counter, int at_least) {
  while (atomic_load(counter) < at_least) {
#pragma omp taskyield
  }
}

static void poll_for_children(int children) {
  atomic_int done = 0;
  for (int i = 0; i < children; ++i) {
#pragma omp task shared(done)
    atomic_fetch_add(&done, 1);
  }
  yield_until(&done, children);
}

static void poll_for_chain(void) {
  enum { kLinks = 20 };
  atomic_int done = 0;
  for (int i = 0; i < kLinks; ++i) {
#pragma omp task depend(inout : order) shared(done)
    {
      yield_often(3);
      atomic_fetch_add(&done, 1);
    }
  }
  yield_until(&done, kLinks);
}

static omp_event_handle_t event;
static atomic_int event_made;

static void* fulfill(void* nothing) {
  poll_until(&event_made, 1);
  omp_fulfill_event(event);
  return nothing;
}

// What becomes ready is made so by a thread that knows nothing of this one.
static void poll_for_event(void) {
  atomic_int done = 0;
  omp_event_handle_t made;
  pthread_t thread;
  atomic_store(&event_made, 0);
  CHECK(pthread_create(&thread, 0, fulfill, 0) == 0);
  yield_often(70);
#pragma omp task detach(made) depend(out : order)
  {
  }
  event = made;
  atomic_store(&event_made, 1);
#pragma omp task depend(in : order) shared(done)
  atomic_store(&done, 1);
  yield_until(&done, 1);
  CHECK(pthread_join(thread, 0) == 0);
}

static void everything(int round) {
  yield_often(round % 70);
  poll_for_children(1 + round % 5);
  poll_for_chain();
#pragma omp task if (0)
  {
    yield_often(20);
    poll_for_children(2);
    yield_often(20);
  }
#pragma omp task
  {
    yield_often(70);
    poll_for_chain();
  }
#pragma omp taskgroup
  {
    yield_often(17);
#pragma omp task
    poll_for_children(3);
  }
}

static void* on_a_thread_of_its_own(void* nothing) {
  yield_often(200);
  poll_for_children(5);
#pragma omp parallel num_threads(2)
  everything(65);
  return nothing;
}

int main(void) {
  enum { kRounds = 20 };
  omp_set_max_active_levels(2);
  everything(0);
  for (int round = 0; round < kRounds; ++round) {
    int threads = 1 + round % omp_get_max_threads();
#pragma omp parallel num_threads(threads)
    {
      everything(round);
#pragma omp masked
      poll_for_event();
#pragma omp barrier
      if (round % 5 == 0) {
#pragma omp parallel num_threads(2)
        everything(round);
      }
    }
    pthread_t thread;
    CHECK(pthread_create(&thread, 0, on_a_thread_of_its_own, 0) == 0);
    CHECK(pthread_join(thread, 0) == 0);
  }
  return 0;
}
