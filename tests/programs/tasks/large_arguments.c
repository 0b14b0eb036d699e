// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks that each carry a megabyte: what waits is bounded in bytes, not only in tasks.
// Naive version: as many blocks as the queues have slots, half a gigabyte.
// xomp-test: threads=2,8 env=OMP_STACKSIZE=64M timeout=120 skip=asan,tsan
#include <omp.h>
#include <string.h>
#include <sys/resource.h>

#include "check.h"

typedef struct {
  char bytes[1 << 20];
} Big;

int main(void) {
  static Big block;
  block.bytes[12345] = 1;
  long sum = 0;
  enum { kTasks = 2000 };
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kTasks; ++i) {
#pragma omp task firstprivate(block)
    {
#pragma omp atomic
      sum += block.bytes[12345];
    }
  }
  CHECK(sum == kTasks);
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  // 8 MB of waiting blocks for each worker that creates tasks (here one), and a copy on each stack.
  CHECK(usage.ru_maxrss < 80 * 1024);
  return 0;
}
