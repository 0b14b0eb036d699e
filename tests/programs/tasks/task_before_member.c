// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No explicit task runs on a thread whose implicit task has not begun: the thread's copy of a task
// reduction is not set up before, and a task may count on what every member did first.
// xomp-test: threads=2,8,16 compilers=gcc,clang
#include "check.h"

#include <omp.h>

enum { kMost = 64, kRounds = 2000 };

static int begun[kMost];

int main(void) {
  int early = 0;
  for (int round = 0; round < repeats(kRounds); ++round) {
    int product = 1;
#pragma omp parallel reduction(task, * : product)
    {
      int id = omp_get_thread_num();
      if (id < kMost)
#pragma omp atomic write
        begun[id] = round + 1;
#pragma omp for nowait
      for (int i = 0; i < 20; ++i)
#pragma omp task in_reduction(* : product) shared(begun, early)
      {
        int runs_on = omp_get_thread_num(), seen = round + 1;
        if (runs_on < kMost)
#pragma omp atomic read
          seen = begun[runs_on];
        if (seen != round + 1)
#pragma omp atomic
          ++early;
        if (i == 3)
          product *= 2;
      }
    }
    CHECK(product == 2);
  }
  CHECK(early == 0);
  return 0;
}
