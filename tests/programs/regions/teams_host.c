// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// teams on the host: every team runs, knows its number also inside a parallel region, and obeys the
// limits.
// xomp-test: threads=1,4 compilers=gcc,clang
#include <omp.h>

#include "check.h"

static void numbered(void) {
  int runs = 0, sum = 0;
#pragma omp teams num_teams(5) reduction(+ : runs, sum)
  {
    CHECK(omp_get_num_teams() >= 1 && omp_get_num_teams() <= 5);
    int team = omp_get_team_num(), teams = omp_get_num_teams();
    runs++;
    sum += team;
#pragma omp parallel num_threads(3)
    {
      CHECK(omp_get_team_num() == team && omp_get_num_teams() == teams);
      CHECK(omp_get_level() == 1);
    }
  }
  CHECK(runs >= 1 && sum == runs * (runs - 1) / 2);
  CHECK(omp_get_num_teams() == 1 && omp_get_team_num() == 0);
}

static void limited(void) {
  int before = omp_get_thread_limit(), largest = 0;
#pragma omp teams num_teams(2) thread_limit(2) reduction(max : largest)
#pragma omp parallel num_threads(8) reduction(max : largest)
  {
    CHECK(omp_get_thread_limit() == 2);
    largest = omp_get_num_threads();
  }
  CHECK(largest <= 2);
  CHECK(omp_get_thread_limit() == before);

  omp_set_num_teams(2);
  omp_set_teams_thread_limit(1);
  CHECK(omp_get_max_teams() == 2 && omp_get_teams_thread_limit() == 1);
#pragma omp teams
  {
    CHECK(omp_get_num_teams() <= 2);
#pragma omp parallel num_threads(4)
    CHECK(omp_get_thread_limit() == 1 && omp_get_num_threads() == 1);
  }
  omp_set_num_teams(0);
  omp_set_teams_thread_limit(0);
}

static void distributed(void) {
  enum { kSize = 777 };
  int hits[kSize] = {0};
#pragma omp teams distribute parallel for num_teams(3)
  for (int i = 0; i < kSize; i++)
    hits[i]++;
  for (int i = 0; i < kSize; i++)
    CHECK(hits[i] == 1);
}

int main(void) {
  numbered();
  limited();
  distributed();
  return 0;
}
