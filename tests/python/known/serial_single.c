// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread works in a single while the others wait behind it.
#include "work.h"

int main(void) {
#pragma omp parallel
  {
    work(3000);
#pragma omp single
    work(40000);
    work(3000);
  }
}
