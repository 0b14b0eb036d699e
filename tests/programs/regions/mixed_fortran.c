// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One process with object files of four compilers, which call one another in a ring: this source is
// compiled by gcc and by clang, part_mixed_fortran.f90 by gfortran and by flang. Regions nest into
// one another's, loops and tasks of each run on the others' teams.
//
// xomp-test: threads=1,2,8 schedulers=slb,na-ws timeout=60 compilers=gcc,clang
// xomp-test: mixed=1 env=OMP_MAX_ACTIVE_LEVELS=4
#include <omp.h>

#include "check.h"

enum { kItems = 500, kQuarters = 4, kSteps = 15 };

#define DECLARE(quarter)                                                                           \
  void quarter##_nested(int depth, int* regions);                                                  \
  long quarter##_fib(int n);                                                                       \
  void quarter##_chain(const int* steps, int* value);                                              \
  void quarter##_shares(int* counts, int n);                                                       \
  void quarter##_locked(int* value);                                                               \
  int quarter##_add_own(int more);
DECLARE(main)
DECLARE(other)
DECLARE(gfortran)
DECLARE(flang)

#ifdef OTHER
#define MINE(name) other_##name
#define NEXT(name) gfortran_##name
#else
#define MINE(name) main_##name
#define NEXT(name) other_##name
#endif

extern omp_lock_t lock;
static int own;
#pragma omp threadprivate(own)

void MINE(nested)(int depth, int* regions) {
  int level = omp_get_level();
#pragma omp parallel num_threads(2)
  {
    CHECK(omp_get_level() == level + 1);
    CHECK(omp_get_ancestor_thread_num(level + 1) == omp_get_thread_num());
#pragma omp single
    {
#pragma omp atomic
      ++*regions;
    }
    if (depth > 1)
      NEXT(nested)(depth - 1, regions);
  }
}

long MINE(fib)(int n) {
  if (n < 2)
    return n;
  long a, b;
#pragma omp task shared(a)
  a = NEXT(fib)(n - 1);
#pragma omp task shared(b)
  b = MINE(fib)(n - 2);
#pragma omp taskwait
  return a + b;
}

// The steps end with 0.
void MINE(chain)(const int* steps, int* value) {
  if (*steps == 0)
    return;
#pragma omp task depend(inout : value[0])
  *value = *value * 3 + *steps;
  NEXT(chain)(steps + 1, value);
}

void MINE(shares)(int* counts, int n) {
#pragma omp for schedule(dynamic, 3)
  for (int i = 0; i < n; ++i)
    ++counts[i];
#pragma omp for schedule(static)
  for (int i = 0; i < n; ++i)
    counts[i] += 10;
#pragma omp single
  for (int i = 0; i < n; ++i)
    counts[i] += 100;
#pragma omp sections
  {
#pragma omp section
    counts[0] += 1000;
#pragma omp section
    counts[1] += 1000;
  }
}

void MINE(locked)(int* value) {
  omp_set_lock(&lock);
  ++*value;
  omp_unset_lock(&lock);
}

int MINE(add_own)(int more) { return own += more; }

#ifndef OTHER

omp_lock_t lock;

// What the Fortran quarters need.
void set_lock(void) { omp_set_lock(&lock); }
void unset_lock(void) { omp_unset_lock(&lock); }
void check_fortran(int holds) { CHECK(holds); }

static void nesting(void) {
  int regions = 0;
  main_nested(kQuarters, &regions); // each has one inside each thread of the one before
  CHECK(regions == 1 + 2 + 4 + 8);
  regions = 0;
  flang_nested(kQuarters, &regions);
  CHECK(regions == 1 + 2 + 4 + 8);
}

static void worksharing(void) {
  static int counts[kItems];
#pragma omp parallel
  {
    main_shares(counts, kItems);
    flang_shares(counts, kItems);
    other_shares(counts, kItems);
    gfortran_shares(counts, kItems);
  }
  for (int i = 0; i < kItems; ++i)
    CHECK(counts[i] == kQuarters * (111 + (i < 2 ? 1000 : 0)));
}

static void tasks(void) {
  int steps[kSteps + 1] = {0}, value = 0, expected = 0;
  long fib = 0;
  for (int i = 0; i < kSteps; ++i)
    steps[i] = kSteps - i;
#pragma omp parallel
#pragma omp single
  {
    fib = flang_fib(16);
    gfortran_chain(steps, &value);
  }
  CHECK(fib == 987);
  for (int i = 0; i < kSteps; ++i)
    expected = expected * 3 + steps[i];
  CHECK(value == expected);
}

static void locks(void) {
  omp_init_lock(&lock);
  int value = 0, team = 0;
#pragma omp parallel
  {
    for (int i = 0; i < 100; ++i) {
      main_locked(&value);
      flang_locked(&value);
      other_locked(&value);
      gfortran_locked(&value);
    }
#pragma omp single
    team = omp_get_num_threads();
  }
  CHECK(value == 100 * kQuarters * team);
  omp_destroy_lock(&lock);
}

// Each quarter has a variable of its own; a thread keeps its copies from region to region.
static void threadprivate(void) {
  for (int round = 1; round <= 3; ++round) {
#pragma omp parallel
    {
      int number = omp_get_thread_num() + 1;
      CHECK(main_add_own(number) == round * number);
      CHECK(other_add_own(number) == round * number);
      CHECK(gfortran_add_own(number) == round * number);
      CHECK(flang_add_own(number) == round * number);
    }
  }
}

int main(void) {
  threadprivate();
  nesting();
  worksharing();
  tasks();
  locks();
  return 0;
}
#endif
