// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Worksharing loops: under every schedule each iteration is executed exactly once, in loops that go
// up and down, with steps that do not divide the range, over long and unsigned long long, empty,
// and at the ends of their types.
// xomp-test: threads=1,2,8 timeout=120 compilers=gcc,clang
#include <limits.h>
#include <omp.h>
#include <string.h>

#include "check.h"

enum { kSize = 1000 };
static int hits[kSize];

static void expect_all(int count) {
  for (int i = 0; i < kSize; ++i)
    CHECK(hits[i] == (i < count));
  memset(hits, 0, sizeof hits);
}

static void touch(long long i) {
  CHECK(i >= 0 && i < kSize);
#pragma omp atomic
  hits[i]++;
}

// Under `runtime`, which the caller sets.
static void all_shapes(void) {
#pragma omp parallel
  {
#pragma omp for schedule(runtime)
    for (int i = 0; i < kSize; ++i)
      touch(i);
#pragma omp single
    expect_all(kSize);
#pragma omp for schedule(runtime)
    for (long i = 2999; i > -1; i -= 3)
      touch((i - 2) / 3);
#pragma omp single
    expect_all(kSize);
#pragma omp for schedule(runtime)
    for (unsigned long long i = 7; i < 7 + 7 * 900; i += 7)
      touch((i - 7) / 7);
#pragma omp single
    expect_all(900);
#pragma omp for schedule(runtime)
    for (unsigned long long i = 5000; i > 3; i -= 5)
      touch((5000 - i) / 5);
#pragma omp single
    expect_all(kSize);
#pragma omp for schedule(runtime) collapse(2)
    for (int i = 0; i < 40; ++i)
      for (int j = 0; j < 25; ++j)
        touch(i * 25 + j);
#pragma omp single
    expect_all(kSize);
#pragma omp for schedule(runtime)
    for (int i = 3; i < 3; ++i)
      touch(i);
#pragma omp for schedule(runtime)
    for (unsigned long long i = 3; i > 3; --i)
      touch(i);
  }
  expect_all(0);
}

// The bounds are as close to the ends of the types as the last step allows.
static void ends_of_types(void) {
  long low = LONG_MIN + 4, high = LONG_MAX - 4, quarter = LONG_MAX / 4;
  unsigned long long top = ULLONG_MAX - 4;
#pragma omp parallel
  {
#pragma omp for schedule(runtime)
    for (long i = high - 50 * 4; i < high; i += 4)
      touch((i - (high - 50 * 4)) / 4);
#pragma omp single
    expect_all(50);
#pragma omp for schedule(runtime)
    for (long i = low + 50 * 4; i > low; i -= 4)
      touch((low + 50 * 4 - i) / 4);
#pragma omp single
    expect_all(50);
#pragma omp for schedule(runtime)
    for (unsigned long long i = top - 50 * 4; i < top; i += 4)
      touch((long long)((i - (top - 50 * 4)) / 4));
#pragma omp single
    expect_all(50);
#pragma omp for schedule(runtime)
    for (unsigned long long i = 201; i > 1; i -= 4)
      touch((long long)((201 - i) / 4));
#pragma omp single
    expect_all(50);
#pragma omp for schedule(runtime)
    for (long i = LONG_MIN; i < LONG_MAX - 2 * quarter; i += quarter)
      touch((long long)(((unsigned long)i - (unsigned long)LONG_MIN) / (unsigned long)quarter));
  }
  expect_all(7);
}

static void clauses(int chunk) {
#pragma omp parallel for schedule(static, 1)
  for (int i = 0; i < kSize; ++i)
    touch(i);
  expect_all(kSize);
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < kSize; ++i)
    touch(i);
  expect_all(kSize);
#pragma omp parallel for schedule(monotonic : dynamic, chunk)
  for (int i = kSize - 1; i >= 0; --i)
    touch(i);
  expect_all(kSize);
#pragma omp parallel for schedule(nonmonotonic : guided, chunk)
  for (unsigned long long i = 0; i < kSize; ++i)
    touch(i);
  expect_all(kSize);
#pragma omp parallel for schedule(auto)
  for (int i = 0; i < kSize; ++i)
    touch(i);
  expect_all(kSize);
#pragma omp parallel for schedule(monotonic : runtime)
  for (int i = 0; i < kSize; ++i)
    touch(i);
  expect_all(kSize);
}

// A thread may not get iterations in decreasing order under the monotonic modifier.
static void monotonic(void) {
#pragma omp parallel
  {
    int last = -1;
#pragma omp for schedule(monotonic : dynamic, 3)
    for (int i = 0; i < kSize; ++i) {
      CHECK(i > last);
      last = i;
    }
  }
}

// Two static loops of the same length are divided alike, also when the library divides one of them.
static void same_division(void) {
  int owner[kSize];
  omp_set_schedule(omp_sched_static, 0);
#pragma omp parallel shared(owner)
  {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < kSize - 7; ++i)
      owner[i] = omp_get_thread_num();
#pragma omp for schedule(runtime)
    for (int i = 0; i < kSize - 7; ++i)
      CHECK(owner[i] == omp_get_thread_num());
  }
}

static void orphaned(void) {
#pragma omp for schedule(dynamic, 2) nowait
  for (int i = 0; i < kSize; ++i)
    touch(i);
#pragma omp for schedule(guided)
  for (int i = 0; i < kSize; ++i)
    touch(i);
}

int main(void) {
  static const omp_sched_t kinds[] = {omp_sched_static, omp_sched_dynamic, omp_sched_guided,
                                      omp_sched_auto};
  static const int chunks[] = {0, 1, 7, 400, INT_MAX};
  for (int k = 0; k < 4; ++k)
    for (int c = 0; c < 5; ++c) {
      omp_set_schedule(kinds[k], chunks[c]);
      all_shapes();
      ends_of_types();
    }
  for (int chunk = 1; chunk < 300; chunk *= 3)
    clauses(chunk);
  monotonic();
  same_division();
  orphaned();
  for (int i = 0; i < kSize; ++i)
    CHECK(hits[i] == 2);
  return 0;
}
