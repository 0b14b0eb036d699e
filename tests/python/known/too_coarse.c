// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The last of thirty tasks takes three times as long as all others together.
#include "work.h"

int main(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 30; i++) {
#pragma omp task firstprivate(i)
    work(i == 29 ? 300 : 3);
  }
}
