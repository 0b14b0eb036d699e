// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ordered: the regions run one at a time in the order of the iterations, under every schedule, also
// when some iterations or whole chunks have none.
// xomp-test: threads=1,2,8,32 timeout=120 compilers=gcc,clang
#include <omp.h>

#include "check.h"

enum { kSize = 2000 };

static int inside; // not atomic: ordered regions exclude each other
static long last;

static void visit(long i) {
  CHECK(inside == 0);
  inside = 1;
  CHECK(i > last);
  last = i;
  inside = 0;
}

static void every_iteration(void) {
  last = -1;
#pragma omp parallel for ordered schedule(runtime)
  for (int i = 0; i < kSize; ++i) {
#pragma omp ordered
    {
      CHECK(last == i - 1);
      visit(i);
    }
  }
  CHECK(last == kSize - 1);
}

static void some_iterations(void) {
  last = -1;
#pragma omp parallel for ordered schedule(runtime)
  for (unsigned long long i = 0; i < kSize; ++i) {
    if (i % 3 == 0 && (i / 100) % 2 == 0) {
#pragma omp ordered
      visit((long)i);
    }
  }
  CHECK(last == 1899);
}

static void downwards_nowait(void) {
  static int seen[3][kSize];
  int count[3] = {0, 0, 0};
#pragma omp parallel
  for (int round = 0; round < 3; ++round) {
#pragma omp for ordered schedule(runtime) nowait
    for (int i = kSize - 1; i >= 0; --i) {
#pragma omp ordered
      seen[round][count[round]++] = i;
    }
  }
  for (int round = 0; round < 3; ++round) {
    CHECK(count[round] == kSize);
    for (int i = 0; i < kSize; ++i)
      CHECK(seen[round][i] == kSize - 1 - i);
  }
}

static void work(long i) {
#pragma omp ordered
  visit(i);
}

static void orphaned_region(void) {
  last = -1;
#pragma omp parallel for ordered schedule(dynamic)
  for (int i = 0; i < kSize; ++i)
    work(i);
  CHECK(last == kSize - 1);
}

int main(void) {
  static const omp_sched_t kinds[] = {omp_sched_static, omp_sched_dynamic, omp_sched_guided,
                                      omp_sched_auto};
  static const int chunks[] = {0, 1, 13};
  for (int k = 0; k < 4; ++k)
    for (int c = 0; c < 3; ++c) {
      omp_set_schedule(kinds[k], chunks[c]);
      every_iteration();
      some_iterations();
      downwards_nowait();
    }
  orphaned_region();
  last = -1;
  work(0);
  return 0;
}
