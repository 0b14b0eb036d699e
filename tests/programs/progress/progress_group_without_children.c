// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every member waits in a taskgroup for a task that only an event made ready, in a task whose own
// children all ran at once: whatever the runtime remembers of a task with children, it has nothing
// of this one. Naive version: such a waiter starts nothing that it did not create.
// xomp-test: threads=1,2,4 timeout=30 compilers=gcc,clang
#include <omp.h>
#include <pthread.h>

#include "check.h"
#include "polling.h"

enum { kMost = 4 };
static omp_event_handle_t handles[kMost];
static atomic_int given, done;
static char order[kMost];

static void* fulfill(void* nothing) {
  poll_until(&given, omp_get_max_threads());
  usleep(20000); // the others have come to their waits
  for (int i = 0; i < omp_get_max_threads(); ++i)
    omp_fulfill_event(handles[i]);
  return nothing;
}

int main(void) {
  CHECK(omp_get_max_threads() <= kMost);
  pthread_t thread;
  CHECK(pthread_create(&thread, 0, fulfill, 0) == 0);
#pragma omp parallel
  {
    int me = omp_get_thread_num();
#pragma omp taskgroup
    {
#pragma omp task if (0)
      {
        omp_event_handle_t event;
#pragma omp task detach(event) depend(out : order[me])
        {
          handles[me] = event;
          atomic_fetch_add(&given, 1);
        }
#pragma omp task depend(in : order[me])
        atomic_fetch_add(&done, 1);
      }
    }
  }
  CHECK(atomic_load(&done) == omp_get_max_threads());
  CHECK(pthread_join(thread, 0) == 0);
  return 0;
}
