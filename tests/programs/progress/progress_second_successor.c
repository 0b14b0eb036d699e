// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A task ends and two others become ready, each of which waits for the other. Whoever made them
// ready runs one; the other is started by the only thread that has nothing to do, or by the one
// that waits for both, wherever it was put meanwhile. Naive version: what was put into the queue of
// a busy thread stays there.
// xomp-test: threads=3,4,8 timeout=30 compilers=gcc,clang
#include <omp.h>

#include "check.h"
#include "polling.h"

static atomic_int met, blocked, open;

static void meet(void) {
  atomic_fetch_add(&met, 1);
  poll_until(&met, 2);
}

int main(void) {
  for (int round = 0; round < 20; ++round) {
    atomic_store(&met, 0);
    atomic_store(&blocked, 0);
    atomic_store(&open, 0);
#pragma omp parallel
    {
      int me = omp_get_thread_num();
      if (me == 0) {
        char order;
        (void)order; // it has an address only
        // All but this one and the last are busy with something of their own.
        poll_until(&blocked, omp_get_num_threads() - 2);
        for (int i = 0; i < round % 5; ++i) { // move on where the next task will be put
#pragma omp task
          usleep(1);
        }
#pragma omp task depend(out : order)
        usleep(200);
        for (int i = 0; i < 2; ++i) {
#pragma omp task depend(in : order)
          meet();
        }
#pragma omp taskwait
        CHECK(atomic_load(&met) == 2);
        atomic_store(&open, 1);
      } else if (me < omp_get_num_threads() - 1) {
        atomic_fetch_add(&blocked, 1);
        poll_until(&open, 1);
      }
    }
  }
  return 0;
}
