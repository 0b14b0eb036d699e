// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A deep recursion of regions of one thread. Naive version: a team is kept for each depth that was
// ever reached, by each thread.
// xomp-test: threads=2 skip=asan,tsan compilers=gcc,clang
#include <malloc.h>
#include <omp.h>

#include "check.h"

enum { kDeep = 1000 };

static int deepest;

static void descend(int left) {
  if (left == 0)
    return;
#pragma omp parallel num_threads(2)
  {
    CHECK(omp_get_num_threads() == 1 || omp_get_level() == 1);
#pragma omp single
    {
      if (omp_get_level() > deepest)
        deepest = omp_get_level();
      descend(left - 1);
    }
  }
}

int main(void) {
  omp_set_max_active_levels(1);
  descend(2);
  size_t before = mallinfo2().uordblks;
  descend(kDeep);
  CHECK(deepest == kDeep);
  CHECK(mallinfo2().uordblks < before + (1u << 20));
  return 0;
}
