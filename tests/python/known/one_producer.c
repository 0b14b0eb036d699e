// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One thread prepares a task in the time that another needs to execute it: two are busy, of four.
#include "work.h"

int main(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 40; i++) {
    work(6);
#pragma omp task
    work(6);
  }
}
