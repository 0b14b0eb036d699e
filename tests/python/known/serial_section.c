// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Most of the time is one thread's, between two regions, which computes; what threads sleep in the
// regions is not sleep of that part.
#include "work.h"

static void prepare(void) { compute(100); }

int main(void) {
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < 8; i++)
    work(5);
  prepare();
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < 8; i++)
    work(5);
}
