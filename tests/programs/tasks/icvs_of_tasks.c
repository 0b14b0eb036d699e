// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A task begins with the ICVs that its creator had when it was created, and what one of the two
// sets later is not the other's affair (OpenMP 5.2, 2.4): set again and again while tasks wait in
// every way that there is, and by the tasks themselves.
// xomp-test: schedulers=slb,ws compilers=gcc,clang
#include <omp.h>
#include <stdio.h>

enum { kRounds = 50, kFirst = 5, kLater = 500, kOwn = 1000 };

/// What the task was created with; it then sets its own.
static int seen_and_set(void) {
  int seen = omp_get_max_threads();
  omp_set_num_threads(kOwn);
  omp_set_num_threads(kOwn + 1);
  return omp_get_max_threads() == kOwn + 1 ? seen : -1;
}

static int check(const char* how, int round, int seen) {
  int good = seen == kFirst + round && omp_get_max_threads() == kLater + round;
  if (!good)
    fprintf(stderr, "%s, round %d: the task saw %d, its creator has %d\n", how, round, seen,
            omp_get_max_threads());
  return !good;
}

int main(void) {
  int bad = 0;
  omp_set_num_threads(omp_get_max_threads()); // the initial task's are its own from here on
#pragma omp parallel reduction(+ : bad)
  for (int i = 0; i < kRounds; i++) {
    int seen = 0;
    omp_set_num_threads(kFirst + i);
#pragma omp task shared(seen)
    seen = seen_and_set();
    omp_set_num_threads(kLater + i);
#pragma omp taskwait
    bad += check("deferred", i, seen);

    omp_set_num_threads(kFirst + i);
#pragma omp task shared(seen) depend(out : seen)
    seen = seen_and_set();
    omp_set_num_threads(kLater + i);
#pragma omp taskwait
    bad += check("with a dependence", i, seen);

    omp_set_num_threads(kFirst + i);
#pragma omp task shared(seen) if (0)
    seen = seen_and_set();
    bad += omp_get_max_threads() != kFirst + i;
    omp_set_num_threads(kLater + i);
    bad += check("undeferred", i, seen);
  }
  return bad != 0;
}
