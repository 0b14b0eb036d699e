// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Task reductions: on taskgroup, parallel, worksharing loops, sections and scope, nested, of
// arrays, with an operator of the program's own, and with tasks of tasks that take part.
// xomp-test: schedulers=q,l,cq,ws,mts threads=1,2,8 compilers=gcc,clang
#include <omp.h>

#include "check.h"

struct Interval {
  long low, high;
};
#pragma omp declare reduction(hull : struct Interval : omp_out.low =                               \
                                  omp_in.low < omp_out.low ? omp_in.low : omp_out.low,             \
                                  omp_out.high =                                                   \
                                      omp_in.high > omp_out.high ? omp_in.high : omp_out.high)     \
    initializer(omp_priv = {1L << 40, -(1L << 40)})

static void of_taskgroup(void) {
  long sum = 7;
  int parts[5] = {0, 0, 0, 0, 0};
  struct Interval span = {3, 3};
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup task_reduction(+ : sum, parts) task_reduction(hull : span)
    {
      for (int i = 0; i < 300; ++i)
#pragma omp task in_reduction(+ : sum, parts) in_reduction(hull : span)
      {
        sum += i;
        parts[i % 5]++;
        if (i - 100 < span.low)
          span.low = i - 100;
        if (i > span.high)
          span.high = i;
#pragma omp task in_reduction(+ : sum)
        sum += 1000;
      }
    }
    CHECK(sum == 7 + 300 * 299 / 2 + 300000);
    CHECK(span.low == -100 && span.high == 299);
    for (int i = 0; i < 5; ++i)
      CHECK(parts[i] == 60);
  }
}

static void nested_groups(void) {
  int outer = 0, inner = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(+ : outer)
  for (int i = 0; i < 20; ++i)
#pragma omp task in_reduction(+ : outer) shared(inner)
  {
    int mine = 0;
#pragma omp taskgroup task_reduction(+ : mine)
    for (int j = 0; j < 10; ++j)
#pragma omp task in_reduction(+ : mine, outer)
    {
      mine++;
      outer += 2;
    }
    CHECK(mine == 10);
    outer += mine;
#pragma omp taskgroup task_reduction(+ : outer) // the private copy is the original of this one
    for (int j = 0; j < 3; ++j)
#pragma omp task in_reduction(+ : outer)
      outer += 100;
#pragma omp atomic
    inner += mine;
  }
  CHECK(outer == 20 * (20 + 10 + 300) && inner == 200);
}

static long fib(int n) {
  if (n < 2)
    return n;
  long sum = 0;
#pragma omp taskgroup task_reduction(+ : sum)
  for (int i = 1; i <= 2; ++i)
#pragma omp task in_reduction(+ : sum)
    sum += fib(n - i);
  return sum;
}

static void of_parallel(void) {
  long sum = 1;
#pragma omp parallel reduction(task, + : sum)
  {
    sum += 1000;
    for (int i = 0; i < 50; ++i)
#pragma omp task in_reduction(+ : sum)
      sum += 2;
  }
  int threads = omp_get_max_threads();
  CHECK(sum == 1 + threads * 1100L);
}

static void of_worksharing(void) {
  long sum = 0, both = 1;
  int threads = 0;
#pragma omp parallel
  {
#pragma omp single
    threads = omp_get_num_threads();
    for (int round = 0; round < 5; ++round) {
#pragma omp for reduction(task, + : sum) schedule(dynamic)
      for (int i = 0; i < 40; ++i) {
        sum += 1;
#pragma omp task in_reduction(+ : sum)
        sum += 10;
      }
      CHECK(sum == 440 * (round + 1));
#pragma omp for reduction(task, + : both) schedule(static)
      for (int i = 0; i < 40; ++i)
#pragma omp task in_reduction(+ : both)
        both += i;
      CHECK(both == 1 + 780 * (round + 1));
#pragma omp barrier
    }
#pragma omp sections reduction(task, + : sum)
    {
#pragma omp section
#pragma omp task in_reduction(+ : sum)
      sum += 5;
#pragma omp section
      sum += 6;
    }
    CHECK(sum == 2211);
#pragma omp barrier
#ifndef __clang__ // clang 19 does not know it of a scope
#pragma omp scope reduction(task, + : sum)
    {
#pragma omp task in_reduction(+ : sum)
      sum += 100;
    }
    CHECK(sum == 2211 + 100 * threads);
#endif
  }
}

int main(void) {
  for (int i = 0; i < 20; ++i) {
    of_taskgroup();
    nested_groups();
    of_parallel();
    of_worksharing();
  }
  long result;
#pragma omp parallel
#pragma omp single
  result = fib(16);
  CHECK(result == 987);
  CHECK(fib(10) == 55);
  return 0;
}
