// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Thirty tasks, each of which changes what the one before has changed.
#include "work.h"

int main(void) {
  double sum = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 30; i++) {
#pragma omp task depend(inout : sum)
    sum += work(10);
  }
  return sum < 0;
}
