// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A cancelled loop with a reduction, by clang: members whose iterations were cancelled do not come
// to the reduction, nor to its barrier; those that get no more chunks do. The former go on to the
// barrier behind the loop. Naive version: the latter wait for them in the reduction.
// xomp-test: threads=1,2,4,8 env=OMP_CANCELLATION=true timeout=60 compilers=clang
#include <omp.h>
#include <unistd.h>

#include "check.h"

enum { kTrips = 1000 };

#define CANCELLED_LOOP(clauses)                                                                    \
  _Pragma(#clauses) for (int i = 0; i < kTrips; ++i) {                                             \
    sum += 1;                                                                                      \
    if (i == 10) {                                                                                 \
      _Pragma("omp cancel for")                                                                    \
    }                                                                                              \
    _Pragma("omp cancellation point for")                                                          \
  }

static double dynamic(void) {
  double sum = 0;
#pragma omp parallel
  CANCELLED_LOOP(omp for reduction(+ : sum) schedule(dynamic))
  return sum;
}

static double guided(void) {
  double sum = 0;
#pragma omp parallel
  CANCELLED_LOOP(omp for reduction(+ : sum) schedule(guided))
  return sum;
}

static double combined(void) {
  double sum = 0;
  CANCELLED_LOOP(omp parallel for reduction(+ : sum) schedule(dynamic))
  return sum;
}

// The barrier of the next reduction is one.
static void next_is_whole(void) {
  int sum = 0, cancelled = 0;
#pragma omp parallel
  {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < kTrips; ++i) {
#pragma omp atomic
      cancelled++;
      if (i == 10) {
#pragma omp cancel for
      }
    }
#pragma omp for reduction(+ : sum) schedule(static)
    for (int i = 0; i < kTrips; ++i)
      sum += i;
    CHECK(sum == kTrips * (kTrips - 1) / 2);
  }
  CHECK(cancelled <= kTrips);
}

int main(void) {
  alarm(50); // what hangs says so
  for (int round = 0; round < repeats(40); ++round) {
    CHECK(dynamic() <= kTrips && guided() <= kTrips && combined() <= kTrips);
    next_is_whole();
  }
  return 0;
}
