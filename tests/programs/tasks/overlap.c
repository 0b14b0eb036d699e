// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A task beside its creator's own work runs at the same time, in every round: the two meet. Naive
// version: every so often the task goes into the creator's own queue, and nobody else sees it.
// xomp-test: threads=2,4,8,16 timeout=60 compilers=gcc,clang
#include <omp.h>
#include <sched.h>
#include <stdatomic.h>

#include "check.h"

int main(void) {
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < 200; round++) {
    atomic_int begun = 0, creator_is_here = 0;
#pragma omp task shared(begun, creator_is_here)
    {
      begun = 1;
      while (!creator_is_here)
        sched_yield();
    }
    while (!begun)
      sched_yield();
    creator_is_here = 1;
#pragma omp taskwait
  }
}
