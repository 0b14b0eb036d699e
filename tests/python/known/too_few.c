// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two tasks for four threads.
#include "work.h"

int main(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 2; i++) {
#pragma omp task
    work(150);
  }
}
