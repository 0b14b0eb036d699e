// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Half of the time is one thread's, between two regions.
#include "work.h"

static void prepare(void) { work(50000); }

int main(void) {
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < 64; i++)
    work(500);
  prepare();
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < 64; i++)
    work(500);
}
