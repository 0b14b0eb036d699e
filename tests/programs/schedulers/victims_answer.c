// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One worker creates all tasks and then works longer than any of them. Whoever finds a task to
// execute, be it a child of its own, answers those that have asked: no worker runs more than four
// times its share while the others sleep. Naive version: only who takes a task out of a queue
// answers; the creator runs its children for as long as there are any, and gives none away.
// xomp-test: threads=16 env=XOMP_SCHEDULER=na-ws timeout=120 compilers=gcc,clang
#include <omp.h>
#include <unistd.h>

#include "check.h"

enum { kThreads = 16, kShare = 16, kRegions = 12, kUnit = 2000 };

int main(void) {
  for (int region = 0; region < kRegions; region++) {
    int ran[kThreads] = {0};
#pragma omp parallel num_threads(kThreads)
#pragma omp single
    {
      CHECK(omp_get_num_threads() == kThreads);
      for (int i = 0; i < kShare * (kThreads - 1); i++) {
#pragma omp task shared(ran)
        {
          usleep(kUnit);
          ran[omp_get_thread_num()]++; // its own
        }
      }
      usleep(kShare * kUnit);
    }
    int sum = 0;
    for (int i = 0; i < kThreads; i++) {
      CHECK(ran[i] <= 4 * kShare);
      sum += ran[i];
    }
    CHECK(sum == kShare * (kThreads - 1));
  }
}
