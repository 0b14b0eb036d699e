// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A ready task whose parent goes on with something else, and in whose way a long task lies wherever
// it was put, is begun by a thread that has nothing to do. Naive version: an entry of a queue is
// seen by its consumer and by the parent's thread only.
// xomp-test: threads=3,4,8 timeout=30 compilers=gcc,clang
#include <omp.h>

#include "check.h"
#include "polling.h"

static atomic_int begun, done;

int main(void) {
  for (int round = 0; round < 12; ++round) {
    atomic_store(&begun, 0);
    atomic_store(&done, 0);
    int long_tasks = omp_get_max_threads() - 2;
#pragma omp parallel
#pragma omp single
    {
      for (int i = 0; i < long_tasks; ++i) {
#pragma omp task
        {
          atomic_fetch_add(&begun, 1);
          poll_until(&done, 1);
        }
        usleep(2000); // somebody has nothing to do by now
        poll_until(&begun, i + 1);
      }
      for (int i = 0; i < round % 5; ++i) { // move on wherever the next task would be put
#pragma omp task
        atomic_fetch_add(&begun, 1);
      }
      usleep(2000);
#pragma omp task
      atomic_store(&done, 1);
      poll_until(&done, 1);
    }
  }
  return 0;
}
