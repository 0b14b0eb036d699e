// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loop's first quarter takes twenty times as long as each other, and is one thread's.
#include "work.h"

int main(void) {
  for (int round = 0; round < 2; round++) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < 4; i++)
      work(i == 0 ? 100 : 5);
  }
}
