// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks that each carry a megabyte and wait for their creator: while there are threads with nothing
// to do, the next one is begun by one of them. Naive version: beyond some number of megabytes,
// those of running tasks included, the creator runs the task itself.
// xomp-test: threads=16 env=OMP_STACKSIZE=64M timeout=30 skip=asan,tsan compilers=gcc,clang
#include <omp.h>
#include <string.h>

#include "check.h"
#include "polling.h"

typedef struct {
  char bytes[1 << 20];
} Big;

static Big big;
static atomic_int begun, open, done;

int main(void) {
  memset(&big, 1, sizeof big);
  int tasks = omp_get_max_threads() - 1;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < tasks; ++i) {
      usleep(2000); // somebody has nothing to do by now
#pragma omp task firstprivate(big)
      {
        atomic_fetch_add(&begun, 1);
        poll_until(&open, 1);
        atomic_fetch_add(&done, big.bytes[i]);
      }
      poll_until(&begun, i + 1);
    }
    atomic_store(&open, 1);
  }
  CHECK(atomic_load(&done) == tasks);
  return 0;
}
