// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A child forked by a member of a region has none of the other members, and runs its tasks itself
// at its waits. Naive version: they go into the queues of all, and what lies in the queue of a
// thread that does not exist is never run.
// xomp-test: threads=1,2,4,8 timeout=60 skip=tsan,asan compilers=gcc,clang
#include <omp.h>

#include "process.h"

enum { kTasks = 500 };

static void run_tasks(void) {
  int sum = 0, in_order = 0;
  char order;
  (void)order; // it has an address only
  for (int i = 0; i < kTasks; ++i) {
#pragma omp task shared(sum)
    sum++;
  }
#pragma omp taskwait
  if (sum != kTasks)
    _exit(2);
#pragma omp taskgroup
  for (int i = 0; i < kTasks; ++i) {
#pragma omp task shared(in_order, order) depend(inout : order)
    in_order++;
  }
  if (in_order != kTasks)
    _exit(3);
#pragma omp taskloop shared(sum) grainsize(1)
  for (int i = 0; i < kTasks; ++i)
    sum++;
  _exit(sum == 2 * kTasks ? 0 : 4);
}

int main(void) {
  for (int round = 0; round < 20; ++round) {
    int forker = round % omp_get_max_threads();
#pragma omp parallel
    {
      for (int i = 0; i < 20; ++i) { // the members are in the middle of something
#pragma omp task
        __asm__ volatile("");
      }
      if (omp_get_thread_num() == forker) {
#pragma omp taskwait // nobody would end, in the child, what another member has begun
        pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0)
          run_tasks();
        expect_exit(child, 0);
      }
    }
  }
  return 0;
}
