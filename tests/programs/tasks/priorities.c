// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several producers of tasks of all priorities, whose queues the others search meanwhile: each task
// runs once, and a task sees what its creator did before, the urgent as well as the others.
// xomp-test: env=OMP_MAX_TASK_PRIORITY=5 schedulers=slb,ws compilers=gcc,clang
#include <stdio.h>
#include <string.h>

enum { kRounds = 20, kMembers = 4, kTasks = 100 };

static int given[kMembers][kTasks], seen[kMembers][kTasks];

int main(void) {
  for (int round = 1; round <= kRounds; ++round) {
    memset(seen, 0, sizeof seen);
#pragma omp parallel for schedule(dynamic, 1)
    for (int m = 0; m < kMembers; ++m) {
      for (int i = 0; i < kTasks; ++i) {
        given[m][i] = round * i;
#pragma omp task priority(i % 7)
        {
          // Long enough that it is worth offering.
          for (volatile int spin = 0; spin < 2000; ++spin)
            ;
          seen[m][i] += given[m][i] + 1;
        }
      }
    }
    for (int m = 0; m < kMembers; ++m) {
      for (int i = 0; i < kTasks; ++i) {
        if (seen[m][i] != round * i + 1) {
          printf("round %d: task %d of %d left %d\n", round, i, m, seen[m][i]);
          return 1;
        }
      }
    }
  }
  return 0;
}
