// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Static chunks that are longer than the loop, up to the largest number: one part has all of it.
// Naive version: what lies between two chunks of a thread wraps around, and the thread comes back
// into the loop, for ever. (gcc computes these itself, and does.)
// xomp-test: threads=1,2,4,7 timeout=20 compilers=clang
#include <limits.h>
#include <omp.h>

#include "check.h"

enum { kIterations = 10 };

static int hits[kIterations];

static void hit(long i) {
  CHECK(0 <= i && i < kIterations);
#pragma omp atomic
  ++hits[i];
}

static void check_hits(int expected) {
  for (int i = 0; i < kIterations; ++i)
    CHECK(hits[i] == expected);
}

int main(void) {
  const int chunks[] = {3, 10, 11, 1 << 29, 1 << 30, INT_MAX};
  int rounds = 0;
  for (int n = 0; n < (int)(sizeof chunks / sizeof *chunks); ++n) {
    int chunk = chunks[n];
    long wide = n < 3 ? chunk : LONG_MAX >> (n - 3);
    int last = -1;
#pragma omp parallel for schedule(static, chunk) lastprivate(last)
    for (int i = 0; i < kIterations; ++i) {
      hit(i);
      last = i;
    }
    CHECK(last == kIterations - 1);
    check_hits(++rounds);
#pragma omp parallel for schedule(static, wide)
    for (long i = kIterations - 1; i >= 0; --i)
      hit(i);
    check_hits(++rounds);
#pragma omp parallel for simd schedule(simd : static, wide)
    for (long i = 0; i < kIterations; ++i)
      hit(i);
    check_hits(++rounds);
#pragma omp teams num_teams(3)
#pragma omp distribute dist_schedule(static, chunk)
    for (int i = 0; i < kIterations; ++i)
      hit(i);
    check_hits(++rounds);
  }
  return 0;
}
