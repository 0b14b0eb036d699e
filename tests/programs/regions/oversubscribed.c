// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many more threads than processors: barriers, tasks and locks go on. Naive versions: workers that
// spin until somebody who has no processor makes progress (minutes instead of seconds), or that
// sleep through a wake-up (for ever).
// xomp-test: threads=64 timeout=60 compilers=gcc,clang
#include <omp.h>

#include "process.h"

int main(void) {
  long tasks = 0, turns = 0;
  double begin = omp_get_wtime();
#pragma omp parallel
  {
    for (int i = 0; i < 100; i++) {
#pragma omp barrier
    }
    for (int i = 0; i < 20; i++) {
#pragma omp single
      for (int k = 0; k < 64; k++) {
#pragma omp task
        {
#pragma omp task
#pragma omp atomic
          tasks++;
#pragma omp taskwait
        }
      }
#pragma omp critical
      turns++;
    }
  }
  CHECK(tasks == 64 * 20);
  CHECK(turns == 64 * 20);
  for (int i = 0; i < 50; i++) {
#pragma omp parallel
#pragma omp atomic
    turns++;
  }
  CHECK(turns == 64 * 70);
  fprintf(stderr, "%.2f s, %.2f s of processor time\n", omp_get_wtime() - begin, cpu_seconds());
  return 0;
}
