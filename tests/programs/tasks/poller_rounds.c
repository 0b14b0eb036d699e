// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One task at a time that waits for what its creator does next, many times, without a window: the
// creator's queue is never full, so it runs none of them before. Naive version: a thief that loses
// its processor while it looks at the queue keeps the creator from taking back what it runs itself,
// until the queue is full of tasks that are over.
// xomp-test: threads=2,4 timeout=60 compilers=gcc,clang
#include <stdatomic.h>

#include "check.h"

static atomic_int flag;

int main(void) {
  int rounds = 0;
#pragma omp parallel
#pragma omp single
  for (; rounds < 200000; rounds++) {
    flag = 0;
#pragma omp task
    while (!flag)
      ;
    flag = 1;
#pragma omp taskwait
  }
  CHECK(rounds == 200000);
}
