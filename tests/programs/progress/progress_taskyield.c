// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A task that polls with taskyield for what its own child does gets it done, whoever else is busy:
// each taskyield may run the child. Naive version: taskyield looks only at queues, or only at what
// lies in the thread's own.
// xomp-test: threads=1,2,4 timeout=30 compilers=gcc,clang
#include <omp.h>

#include "check.h"
#include "polling.h"

enum { kRounds = 200 };
static atomic_int blocked, open;

static void poll_for_children(int children) {
  atomic_int done = 0;
  for (int i = 0; i < children; ++i) {
#pragma omp task shared(done)
    atomic_fetch_add(&done, 1);
  }
  while (atomic_load(&done) < children) {
#pragma omp taskyield
  }
}

int main(void) {
#pragma omp parallel
  {
    if (omp_get_thread_num() == 0) {
      poll_until(&blocked, omp_get_num_threads() - 1);
      for (int round = 0; round < kRounds; ++round) {
        poll_for_children(1 + round % 9);
#pragma omp task if (0)
        poll_for_children(1 + round % 5);
      }
      atomic_store(&open, 1);
    } else {
      atomic_fetch_add(&blocked, 1);
      poll_until(&open, 1);
    }
  }
  return 0;
}
