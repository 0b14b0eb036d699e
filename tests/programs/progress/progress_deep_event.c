// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A task that only an event made ready is started by a thread that waits in an ancestor of it,
// however many generations lie between: there is no other thread, and its parent has ended. Naive
// version: who looks for a common ancestor gives up after some steps.
// xomp-test: threads=1,2 timeout=30 compilers=gcc,clang
#include <omp.h>
#include <pthread.h>

#include "check.h"
#include "polling.h"

static omp_event_handle_t handle;
static atomic_int given, done;
static char order;

static void* fulfill(void* nothing) {
  poll_until(&given, 1);
  usleep(20000); // the others have come to their waits
  omp_fulfill_event(handle);
  return nothing;
}

static void descend(int generations) {
  atomic_int child = 0;
#pragma omp task shared(child) depend(out : child)
  atomic_store(&child, 1);
#pragma omp taskwait
  if (generations == 0) {
    omp_event_handle_t event;
#pragma omp task detach(event) depend(out : order)
    {
      handle = event;
      atomic_store(&given, 1);
    }
#pragma omp task depend(in : order)
    atomic_fetch_add(&done, 1);
    return;
  }
#pragma omp task
  descend(generations - 1);
}

int main(void) {
  for (int generations = 1; generations <= 1000; generations *= 10) {
    atomic_store(&given, 0);
    atomic_store(&done, 0);
    pthread_t thread;
    CHECK(pthread_create(&thread, 0, fulfill, 0) == 0);
#pragma omp parallel
#pragma omp masked
    {
#pragma omp taskgroup
      descend(generations);
      CHECK(atomic_load(&done) == 1);
    }
    CHECK(pthread_join(thread, 0) == 0);
  }
  return 0;
}
