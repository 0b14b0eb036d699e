// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A creator that has left very many successors behind a task goes on all the same: the task waits
// for the creator. Naive version: beyond some number of waiting tasks the creator waits for the
// predecessors of the next one.
// xomp-test: threads=2,4 timeout=30 compilers=gcc,clang
#include <omp.h>

#include "check.h"
#include "polling.h"

enum { kSuccessors = 20000 };
static atomic_int begun, open, done;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    char order;
    (void)order;  // it has an address only
    usleep(2000); // somebody has nothing to do by now
#pragma omp task depend(out : order)
    {
      atomic_store(&begun, 1);
      poll_until(&open, 1);
    }
    poll_until(&begun, 1);
    for (int i = 0; i < kSuccessors; ++i) {
#pragma omp task depend(in : order)
      atomic_fetch_add(&done, 1);
    }
    CHECK(atomic_load(&done) == 0);
    atomic_store(&open, 1);
#pragma omp taskwait
    CHECK(atomic_load(&done) == kSuccessors);
  }
  return 0;
}
