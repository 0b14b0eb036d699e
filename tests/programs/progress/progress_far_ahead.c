// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A construct with nowait waits for nobody: a member may pass any number of them before another
// comes to the first, even if the other comes only because of it. Naive version: the number of
// constructs in which members are at one time is bounded, and who is ahead waits.
// xomp-test: threads=2,4,8 timeout=30 compilers=gcc,clang
#include <omp.h>

#include "check.h"
#include "polling.h"

enum { kConstructs = 1000 };
static atomic_int ahead, iterations, sections, singles;

int main(void) {
#pragma omp parallel
  {
    if (omp_get_thread_num() == 0)
      poll_until(&ahead, 1);
    for (int c = 0; c < kConstructs; ++c) {
#pragma omp for schedule(dynamic) nowait
      for (int i = 0; i < 4; ++i)
        atomic_fetch_add(&iterations, 1);
#pragma omp sections nowait
      {
#pragma omp section
        atomic_fetch_add(&sections, 1);
#pragma omp section
        atomic_fetch_add(&sections, 1);
      }
#pragma omp single nowait
      atomic_fetch_add(&singles, 1);
    }
    atomic_store(&ahead, 1);
  }
  CHECK(atomic_load(&iterations) == 4 * kConstructs);
  CHECK(atomic_load(&sections) == 2 * kConstructs);
  CHECK(atomic_load(&singles) == kConstructs);
  return 0;
}
