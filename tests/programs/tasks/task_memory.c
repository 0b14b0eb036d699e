// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// XOMP_TASK_MEMORY=malloc: every task has a block from the C library, as in paper 1's runtime, also
// one that finds its queue full and is run at once; and each goes back there.
//
// Not by clang, whose tasks have a second block, for their variables.
// xomp-test: threads=2 env=XOMP_SCHEDULER=slb env=XOMP_TASK_MEMORY=malloc flags=-rdynamic
// xomp-test: recorded=0 told=0 skip=asan,tsan
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "check.h"

enum { kTasks = 20000, kOthers = 200 };

static atomic_int blocks, left;

// What the library calls for what is aligned to cache lines.
int posix_memalign(void** memory, size_t align, size_t size) {
  blocks++;
  *memory = memalign(align, size);
  return *memory == NULL;
}

int main(void) {
  long sum = 0;
  left = kTasks;
#pragma omp parallel
#pragma omp single
  {
    blocks = 0;
    for (int i = 0; i < kTasks; i++) {
#pragma omp task firstprivate(i)
      {
#pragma omp atomic
        sum += i;
        left--;
      }
    }
  }
  CHECK(left == 0 && sum == kTasks * (kTasks - 1L) / 2);
  CHECK(blocks >= kTasks && blocks < kTasks + kOthers);
  // What waits at a time is all that is in use at the end, and that is over.
  CHECK(mallinfo2().uordblks < 64u * kTasks);
  return 0;
}
