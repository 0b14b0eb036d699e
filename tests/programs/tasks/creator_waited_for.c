// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A creator goes on creating tasks behind a predecessor that itself waits for the creator, however
// many they are: creation waits for predecessors only as long as that gets anywhere. Naive version:
// the creator waits once enough tasks wait, and both wait for ever.
// xomp-test: threads=2,4 timeout=60 compilers=gcc,clang
#include <omp.h>
#include <stdatomic.h>
#include <unistd.h>

#include "check.h"

enum { kTasks = 20000 };

int main(void) {
  int x = 0;
  atomic_int go = 0, begun = 0, sum = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : x) shared(go, begun)
    {
      begun = 1;
      while (!go)
        usleep(1000);
    }
    while (!begun)
      usleep(100);
    for (int i = 0; i < kTasks; i++) {
#pragma omp task depend(in : x) shared(sum)
      sum++;
    }
    go = 1;
  }
  CHECK(sum == kTasks);
}
