// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread works in a single while the others wait behind it.
#include "work.h"

int main(void) {
#pragma omp parallel
  {
    work(5);
#pragma omp single
    work(150);
    work(5);
  }
}
