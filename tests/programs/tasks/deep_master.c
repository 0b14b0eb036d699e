// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks nested as deep as the initial thread's stack lets them be, where the other threads of the
// team have smaller ones, and others have to hand over their own: each has a frame of its own, or
// it would wait for itself. Naive version: the memory for frames is measured by the threads that
// the runtime has started.
// xomp-test: threads=2,4 timeout=30 env=OMP_STACKSIZE=64K skip=asan,tsan compilers=gcc,clang
#include <omp.h>

#include "check.h"

enum { kDeep = 6000 };

static int begun, over;

static int nested(int depth) {
  int ended = 0;
  begun++;
  if (depth == 0)
    return 1;
#pragma omp task shared(ended) depend(inout : ended)
  ended = nested(depth - 1);
#pragma omp taskwait
  return ended;
}

int main(void) {
#pragma omp parallel
  {
#pragma omp single nowait
    {
#pragma omp task
      ; // so that there are stacks for all
    }
#pragma omp barrier
    if (omp_get_thread_num() == 0) {
      CHECK(nested(kDeep) == 1);
      __atomic_store_n(&over, 1, __ATOMIC_RELEASE);
    } else {
      while (!__atomic_load_n(&over, __ATOMIC_ACQUIRE))
        ;
    }
  }
  CHECK(begun == kDeep + 1);
  return 0;
}
