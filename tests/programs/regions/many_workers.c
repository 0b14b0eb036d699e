// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// 192 workers: what the process occupies once all of them have begun a region and before the first
// task, and what tasks without end from one of them add to it. Resident memory of the whole
// process, stacks and the C library's part included, as the kernel counts it (VmRSS). The number of
// tasks is an argument; the bounds do not depend on it.
//
// By gcc alone: it takes long, and no compiler knows of the queues.
// xomp-test: threads=192 schedulers=q,l,cq,ws,mts args=40000 timeout=120 skip=asan,tsan
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"

static long resident_kilobytes(void) {
  FILE* status = fopen("/proc/self/status", "r");
  CHECK(status);
  char line[256];
  long kilobytes = 0;
  while (fgets(line, sizeof line, status))
    sscanf(line, "VmRSS: %ld", &kilobytes);
  fclose(status);
  return kilobytes;
}

int main(int argc, char** argv) {
  long tasks = argc > 1 ? atol(argv[1]) : 100000000;
  long alone = resident_kilobytes(), before = 0, most = 0;
  int workers = 0;
#pragma omp parallel
  {
#pragma omp atomic
    workers++;
#pragma omp barrier
#pragma omp single
    before = resident_kilobytes();
  }
  CHECK(workers == omp_get_max_threads());
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < tasks; i++) {
#pragma omp task
    {
      volatile int touched[8] = {0};
      for (int n = 0; n < 8; n++)
        touched[n]++;
    }
    if (i % (tasks / 20 + 1) == 0) {
      long now = resident_kilobytes();
      most = now > most ? now : most;
    }
  }
  printf("%d workers: %ld KB alone, %ld before the first task, at most %ld with %ld tasks\n",
         workers, alone, before, most, tasks);
  CHECK(before < 48 * 1024);
  CHECK(most < 64 * 1024);
  return 0;
}
