// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nearly all of the work is done in a critical section.
#include "work.h"

int main(void) {
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < 60; i++) {
    work(1);
#pragma omp critical
    work(5);
  }
}
