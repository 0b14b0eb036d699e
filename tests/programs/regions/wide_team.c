// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A team of 256 threads with tasks and barriers stays small. Naive version: 256 x 256 rings, laid
// out at once, of 64 slots and their padding: 50 MB of untouched to gigabytes of touched memory.
// xomp-test: threads=256 timeout=120 skip=asan,tsan compilers=gcc,clang
#include <omp.h>

#include "process.h"

int main(void) {
  long count = 0;
#pragma omp parallel
  {
#pragma omp single
    CHECK(omp_get_num_threads() == 256);
    for (int i = 0; i < 50; i++) {
#pragma omp task
#pragma omp atomic
      count++;
    }
#pragma omp barrier
#pragma omp single
    for (int i = 0; i < 100000; i++) {
#pragma omp task
#pragma omp atomic
      count++;
    }
  }
  CHECK(count == 256 * 50 + 100000);
  fprintf(stderr, "peak: %ld KB\n", peak_kilobytes());
  CHECK(peak_kilobytes() < 200 * 1024);
  return 0;
}
