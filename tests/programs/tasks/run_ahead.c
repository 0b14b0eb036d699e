// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Members run ahead of each other through constructs with nowait, further than the runtime lets
// them without giving the slowest time: nothing is lost. Regions that differ in size and in
// constructs follow each other.
// xomp-test: threads=1,2,8,32 timeout=120 compilers=gcc,clang
#include <omp.h>
#include <unistd.h>

#include "check.h"

enum { kRounds = 200, kIterations = 8 };
static int hits[kRounds][kIterations];

static void one_sleeps(int sleeper) {
#pragma omp parallel
  for (int round = 0; round < kRounds; ++round) {
    if (omp_get_thread_num() == sleeper % omp_get_num_threads() && round % 50 == 0)
      usleep(2000);
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < kIterations; ++i)
#pragma omp atomic
      hits[round][i]++;
  }
}

static void mixed(int threads) {
  int sections = 0, singles = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sections)
  for (int round = 0; round < 40; ++round) {
#pragma omp sections nowait
    {
#pragma omp section
      sections++;
#pragma omp section
      sections++;
#pragma omp section
      sections++;
    }
#pragma omp single nowait
#pragma omp atomic
    singles++;
#pragma omp for schedule(guided) nowait
    for (int i = 0; i < kIterations; ++i)
#pragma omp atomic
      hits[round][i]++;
  }
  CHECK(sections == 120 && singles == 40);
}

int main(void) {
  for (int repeat = 0; repeat < 5; ++repeat)
    one_sleeps(repeat);
  for (int round = 0; round < kRounds; ++round)
    for (int i = 0; i < kIterations; ++i)
      CHECK(hits[round][i] == 5);
  int most = omp_get_max_threads();
  for (int repeat = 0; repeat < 60; ++repeat)
    mixed(1 + repeat % most);
  for (int round = 0; round < 40; ++round)
    for (int i = 0; i < kIterations; ++i)
      CHECK(hits[round][i] == 65);
  return 0;
}
