// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In the queue of a thread that waits in a task lie very many tasks that it may not start, and
// behind them one that it may and that everything else waits for. It starts that one. Naive
// versions: a queue is looked at no further than its first task; or the place to which the first
// ones are put out of the way is too small for all of them.
// xomp-test: threads=3 timeout=30 env=XOMP_QUEUE_SIZE=4096 compilers=gcc,clang
#include <omp.h>

#include "check.h"
#include "polling.h"

enum { kForeign = 3000 };
static atomic_int waiting, foreign, grandchild, ran_foreign;

// On thread 1: waits for a child that runs on thread 2 and waits for a grandchild.
static void wait_for_child(void) {
  atomic_int child_begun = 0;
#pragma omp task shared(child_begun)
  {
    atomic_store(&child_begun, 1);
    poll_until(&foreign, 1); // all queues are full of what thread 0 has created
    for (int i = 0; i < 3; ++i) {
#pragma omp task
      atomic_fetch_add(&grandchild, 1);
    }
    poll_until(&grandchild, 1); // one of them went to thread 1
  }
  poll_until(&child_begun, 1);
  atomic_store(&waiting, 1);
#pragma omp taskwait
}

int main(void) {
#pragma omp parallel
  {
    if (omp_get_thread_num() == 0) {
      poll_until(&waiting, 1);
      usleep(20000);
      for (int i = 0; i < kForeign; ++i) {
#pragma omp task
        atomic_fetch_add(&ran_foreign, 1);
      }
      atomic_store(&foreign, 1);
      poll_until(&grandchild, 1);
    } else if (omp_get_thread_num() == 1) {
#pragma omp task if (0)
      wait_for_child();
    }
  }
  CHECK(atomic_load(&ran_foreign) == kForeign);
  return 0;
}
