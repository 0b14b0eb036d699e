// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Undeferred tasks, one after the other, each of which ends while another thread runs its child.
// Naive version: what is kept of such a task until its child has ended is looked for only when its
// thread needs memory itself, which may be never before the barrier.
// xomp-test: threads=2,3 timeout=60 skip=asan,tsan compilers=gcc,clang
#include <malloc.h>
#include <omp.h>
#include <stdatomic.h>

#include "check.h"
#include "polling.h"

enum { kTasks = 4000 };

static atomic_int begun;

static void ends_early(int number) {
#pragma omp task firstprivate(number)
  {
    begun = number;
    for (volatile int step = 0; step < 3000; step++) {
    }
  }
  while (begun < number)
    ;
}

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    size_t before = 0;
    for (int i = 1; i <= 2 * kTasks; ++i) {
      if (i == kTasks)
        before = mallinfo2().uordblks;
#pragma omp task if (0) firstprivate(i)
      ends_early(i);
    }
    CHECK(mallinfo2().uordblks < before + 32u * kTasks);
  }
  return 0;
}
