// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Most of the time one thread sleeps, between two regions.
#include "work.h"

static void await_others(void) { work(250); }

int main(void) {
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < 8; i++)
    work(5);
  await_others();
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < 8; i++)
    work(5);
}
