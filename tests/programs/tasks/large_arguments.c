// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks that each carry a megabyte: what waits is bounded in bytes, not only in tasks.
// Naive version: as many blocks as the queues have slots, half a gigabyte.
// xomp-test: threads=2,8 env=OMP_STACKSIZE=64M timeout=120 skip=asan,tsan compilers=gcc,clang
#include <omp.h>
#include <string.h>
#include <sys/resource.h>

#include "check.h"
#include "polling.h"

typedef struct {
  char bytes[1 << 20];
} Big;

static atomic_int busy, through;

int main(void) {
  static Big block;
  block.bytes[12345] = 1;
  long sum = 0;
  enum { kTasks = 1000 };
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kTasks; ++i) {
#pragma omp task firstprivate(block)
    {
#pragma omp atomic
      sum += block.bytes[12345];
    }
  }
  // While all other threads have something to do.
#pragma omp parallel
#pragma omp single
  {
    int others = omp_get_num_threads() - 1;
    for (int i = 0; i < others; ++i) {
#pragma omp task
      {
        atomic_fetch_add(&busy, 1);
        poll_until(&through, 1);
      }
    }
    poll_until(&busy, others);
    for (int i = 0; i < 200; ++i) {
#pragma omp task firstprivate(block)
      {
#pragma omp atomic
        sum += block.bytes[12345];
      }
    }
    atomic_store(&through, 1);
  }
  CHECK(sum == kTasks + 200);
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  // 8 MB of waiting blocks for each worker that creates tasks (here one), and a copy on each stack.
  CHECK(usage.ru_maxrss < 80 * 1024);
  return 0;
}
