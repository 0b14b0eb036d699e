// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The last of a hundred tasks takes twice as long as all others together.
#include "work.h"

int main(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 100; i++) {
#pragma omp task firstprivate(i)
    work(i == 99 ? 60000 : 300);
  }
}
