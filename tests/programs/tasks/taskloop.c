// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// taskloop: every iteration once, with every clause; the sizes of the tasks are within what the
// clauses allow.
// xomp-test: schedulers=q,l,cq,ws,mts threads=1,2,8 compilers=gcc,clang
// xomp-test: flags=-fno-sanitize=signed-integer-overflow
#include <limits.h>
#include <omp.h>
#include <string.h>

#include "check.h"

enum { kSize = 1000 };
static int hits[kSize];
static int tasks, nested_runs;

static void touch(long long i) {
  CHECK(i >= 0 && i < kSize);
#pragma omp atomic
  hits[i]++;
}

static void expect_all(int count) {
  for (int i = 0; i < kSize; ++i)
    CHECK(hits[i] == (i < count));
  memset(hits, 0, sizeof hits);
}

// `known` is firstprivate: 0 in the first iteration of a task only.
static void count_task(int* known) {
  if (*known)
    return;
  *known = 1;
#pragma omp atomic
  tasks++;
}

static void sizes(void) {
  for (int grain = 1; grain < 600; grain = grain * 2 + 1) {
    int known = tasks = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(grain) firstprivate(known)
    for (int i = 0; i < kSize; ++i) {
      count_task(&known);
      touch(i);
    }
    expect_all(kSize);
    CHECK(tasks * grain <= kSize && tasks * 2 * grain > kSize);
  }
  for (int number = 1; number < 3000; number = number * 3 + 1) {
    int known = tasks = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop num_tasks(number) firstprivate(known)
    for (unsigned long long i = kSize; i > 0; --i) {
      count_task(&known);
      touch(i - 1);
    }
    expect_all(kSize);
    CHECK(tasks == (number < kSize ? number : kSize));
  }
#ifndef __clang__ // clang 19 takes `strict` for nothing
  int known = tasks = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(strict : 13) firstprivate(known)
  for (long i = kSize - 1; i >= 0; --i) {
    count_task(&known);
    touch(i);
  }
  expect_all(kSize);
  CHECK(tasks == (kSize + 12) / 13);
#endif
}

static void clauses(void) {
  int last = -1, twice = 2;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop lastprivate(last) firstprivate(twice) grainsize(3)
    for (int i = 0; i < kSize; i += 3)
      last = i * twice;
    CHECK(last == 1998);
#pragma omp taskloop collapse(2) if (0)
    for (int i = 0; i < 20; ++i)
      for (int j = 0; j < 50; ++j)
        touch(i * 50 + j);
    expect_all(kSize);
#pragma omp taskloop final(1) priority(3) untied mergeable
    for (int i = 0; i < kSize; ++i) {
      CHECK(omp_in_final());
      touch(i);
    }
    expect_all(kSize);
#pragma omp taskgroup
    {
#pragma omp taskloop nogroup
      for (int i = 0; i < kSize / 2; ++i)
        touch(i);
#pragma omp taskloop nogroup
      for (int i = kSize / 2; i < kSize; ++i)
        touch(i);
    }
    expect_all(kSize);
#pragma omp taskloop
    for (int i = 5; i < 5; ++i)
      touch(i);
#pragma omp taskloop
    for (long i = LONG_MAX - 13; i < LONG_MAX - 4; i += 4)
      touch((i - (LONG_MAX - 13)) / 4);
    expect_all(3);
  }
}

#ifndef __clang__ // which counts the iterations of these loops itself, and wrong
// The last increment leaves the range of the variable's type, so the loops end only if the runtime
// chooses their bounds well; and all iterations run.
#define RANGE(type, from, to, relation, step, expected)                                            \
  for (int clause = 0; clause < 7; ++clause) {                                                     \
    long number = numbers[clause];                                                                 \
    volatile type first = from, past = to; /* gcc 12 passes some constants on as another type */   \
    long runs = 0;                                                                                 \
    _Pragma("omp parallel") _Pragma("omp single") {                                                \
      _Pragma("omp taskloop shared(runs) num_tasks(number)") /* */                                 \
          for (type i = first; i relation past; i += step) count_run(&runs, expected);             \
      _Pragma("omp taskloop shared(runs) grainsize(number)") /* */                                 \
          for (type i = first; i relation past; i += step) count_run(&runs, 2 * expected);         \
      _Pragma("omp taskloop shared(runs) grainsize(strict : number)") /* */                        \
          for (type i = first; i relation past; i += step) count_run(&runs, 3 * expected);         \
    }                                                                                              \
    CHECK(runs == 3 * expected);                                                                   \
  }

static void count_run(long* runs, long most) {
  long now;
#pragma omp atomic capture
  now = ++*runs;
  CHECK(now <= most);
}

static void whole_ranges(void) {
  static const long numbers[] = {LONG_MAX, LONG_MAX - 1, 100, 13, 5, 2, 1};
  RANGE(int, INT_MIN, INT_MAX - 8, <, INT_MAX / 13, 27)
  RANGE(int, INT_MAX, INT_MIN + 8, >, -(INT_MAX / 13), 27)
  RANGE(unsigned, 0, UINT_MAX - 8, <, UINT_MAX / 13 - 2, 14)
  RANGE(long, LONG_MIN, LONG_MAX - 8, <, LONG_MAX / 13, 27)
  RANGE(long, LONG_MAX, LONG_MIN + 8, >, -(LONG_MAX / 13), 27)
  RANGE(long, LONG_MIN, LONG_MAX, <, LONG_MAX, 3)
  RANGE(long, LONG_MAX, LONG_MIN, >, LONG_MIN, 2)
  RANGE(unsigned long long, 0, ULLONG_MAX - 8, <, ULLONG_MAX / 13 - 2, 14)
  RANGE(unsigned long long, ULLONG_MAX, 8, >, -(ULLONG_MAX / 13 - 2), 14)
}

#endif

static void reductions(void) {
  long sum = 0, product = 1, none = 5;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop reduction(+ : sum) grainsize(7)
    for (int i = 0; i < kSize; ++i)
      sum += i;
#pragma omp taskloop reduction(* : product) num_tasks(20)
    for (int i = 0; i < 20; ++i)
      product *= 2;
#pragma omp taskloop reduction(+ : none)
    for (int i = 0; i < 0; ++i)
      none++;
  }
  CHECK(sum == kSize * (kSize - 1L) / 2 && product == 1 << 20 && none == 5);
}

static void nested(int depth) {
#pragma omp taskloop num_tasks(4)
  for (int i = 0; i < 4; ++i) {
    if (depth > 0)
      nested(depth - 1);
#pragma omp atomic
    nested_runs++;
  }
}

int main(void) {
  sizes();
  clauses();
  reductions();
#ifndef __clang__
  whole_ranges();
#endif
#pragma omp parallel
#pragma omp single
  nested(4);
  CHECK(nested_runs == 4 + 16 + 64 + 256 + 1024);
#pragma omp taskloop
  for (int i = 0; i < kSize; ++i)
    touch(i);
  expect_all(kSize);
  return 0;
}
