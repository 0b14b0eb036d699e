// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A task that is not deferred and has an event: its creator waits for that, and not for what the
// task has left behind; and what cancels a taskgroup inside means the program's. Naive version: the
// creator waits in a taskgroup of its own.
// xomp-test: threads=1,2,4 timeout=20 env=OMP_CANCELLATION=true compilers=gcc,clang
#include <omp.h>
#include <stdatomic.h>

#include "check.h"

static atomic_int ran;

static void leaves_a_child(void) {
  omp_event_handle_t first = 0, second = 0, *out = &second;
#pragma omp task if (0) detach(first) firstprivate(out)
  {
    omp_event_handle_t inner;
#pragma omp task detach(inner)
    ++ran;
    *out = inner;
    omp_fulfill_event(first);
  }
  omp_fulfill_event(second);
}

static void cancels(void) {
#pragma omp taskgroup
  {
    omp_event_handle_t event = 0;
#pragma omp task if (0) detach(event)
    {
      omp_fulfill_event(event);
#pragma omp cancel taskgroup
    }
#pragma omp task
    ran += 100;
#pragma omp taskwait
  }
}

#ifdef __clang__ // gcc's is over when its body is
static void waits_for_its_event(void) {
  static omp_event_handle_t shared_event;
  static atomic_int told;
  told = 0;
  atomic_int fulfilled = 0;
#pragma omp task shared(fulfilled) if (omp_get_num_threads() > 1)
  {
    while (!told && omp_get_num_threads() > 1)
      continue;
    if (told) {
      fulfilled = 1;
      omp_fulfill_event(shared_event);
    }
  }
  omp_event_handle_t event = 0;
#pragma omp task if (0) detach(event)
  {
    if (omp_get_num_threads() > 1) {
      shared_event = event;
      told = 1;
    } else {
      omp_fulfill_event(event);
    }
  }
  CHECK(fulfilled == (omp_get_num_threads() > 1));
#pragma omp taskwait
}
#else
static void waits_for_its_event(void) {}
#endif

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    leaves_a_child();
    cancels();
    waits_for_its_event();
  }
  CHECK(ran == 1);
  return 0;
}
