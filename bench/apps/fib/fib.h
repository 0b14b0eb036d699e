// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the versions of Fibonacci have in common: parameters, the serial code, the check.
#ifndef XOMP_BENCH_FIB_H
#define XOMP_BENCH_FIB_H

#include "../../frame/app.h"

enum { kMost = 60 };

static long n, cutoff;
static long result;

static long serial(int n) { return n < 2 ? n : serial(n - 1) + serial(n - 2); }

// n: paper 1 section VI has 42 (40 in its sweeps); papers 3 and 5 have 50 with the manual cut-off,
// whose depth is the suite's default.
static const Parameter kParameters[] = {
    {"n", "which number", kInteger, &n, {"20", "27", "32", "42"}, 0, kMost},
    {"cutoff",
     "levels with tasks in the -if and -manual variants",
     kInteger,
     &cutoff,
     {"10", "10", "10", "10"},
     0,
     kMost},
    {},
};

static long fibonacci(int index) {
  long current = 0, next = 1;
  for (; index > 0; index--) {
    long sum = current + next;
    current = next;
    next = sum;
  }
  return current;
}

// How many calls of the recursion from n have two further calls and are less than `levels` deep.
static uint64_t splits(int n, int levels) {
  uint64_t at[kMost + 1] = {0}; // of the recursion from each index, with one level more each time
  for (int level = 0; level < levels && level < n; level++)
    for (int index = n; index >= 2; index--)
      at[index] = 1 + at[index - 1] + at[index - 2];
  return at[n];
}

static int check(void) {
  uint64_t per_split = app_variant_has("serial") ? 0 : app_variant_has("one") ? 1 : 2;
  app_tasks(per_split * splits((int)n, app_variant_has("manual") ? (int)cutoff : kMost));
  app_note("result=%ld", result);
  return result == fibonacci((int)n);
}

#endif
