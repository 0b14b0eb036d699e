// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A team's iterations go to its threads one by one, and there are fewer than threads. clang's
// programs look at the first iteration of a thread only, and compare it with the end of all.
// Naive version: a thread without any is given the bounds of some empty loop, and begins there.
// xomp-test: threads=1,2,4,7 timeout=20 compilers=gcc,clang
#include <limits.h>
#include <string.h>

#include "check.h"

enum { kMost = 20 };

static int hits[kMost];

static void hit(long i) {
  CHECK(0 <= i && i < kMost);
#pragma omp atomic
  ++hits[i];
}

static void check_hits(int iterations) {
  for (int i = 0; i < kMost; ++i)
    CHECK(hits[i] == (i < iterations));
  memset(hits, 0, sizeof hits);
}

// GCC 12 counts the iterations of a loop that begins near LONG_MIN with a signed overflow.
__attribute__((no_sanitize("undefined"))) int main(void) {
  for (int n = 0; n <= kMost; ++n) {
#pragma omp teams distribute parallel for schedule(static, 1)
    for (int i = 0; i < n; ++i)
      hit(i);
    check_hits(n);
#pragma omp teams distribute parallel for schedule(static, 1)
    for (int i = n - 1; i >= 0; --i)
      hit(i);
    check_hits(n);
#pragma omp teams distribute parallel for schedule(static, 1)
    for (unsigned long i = 0; i < (unsigned long)n; ++i)
      hit((long)i);
    check_hits(n);
#pragma omp parallel for schedule(static, 1)
    for (int i = INT_MAX - n; i < INT_MAX; ++i)
      hit(i - (INT_MAX - n));
    check_hits(n);
#pragma omp parallel for schedule(static, 1)
    for (long i = LONG_MIN + 3L * n; i > LONG_MIN; i -= 3)
      hit((i - LONG_MIN) / 3 - 1);
    check_hits(n);
    int sum = 0;
#pragma omp target teams distribute parallel for schedule(static, 1) reduction(+ : sum)
    for (int i = 0; i < n; ++i)
      ++sum;
    CHECK(sum == n);
  }
  return 0;
}
