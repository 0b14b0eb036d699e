// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks with dependences, each of which waits for the next: none is on its creator's stack, and
// each needs a frame of its own.
#pragma once
#include <stdatomic.h>

static inline void nest(int left, atomic_int* ran) {
  char cell;
  (void)cell;
  ++*ran;
  if (left == 0)
    return;
#pragma omp task depend(out : cell) firstprivate(left, ran)
  nest(left - 1, ran);
#pragma omp taskwait
}
