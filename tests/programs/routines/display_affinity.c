// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OMP_DISPLAY_AFFINITY shows the members of a team when it is the first or another one, or its
// threads have other places, and no region of a single thread, as libgomp does.
// xomp-test: threads=2 barriers=tree recorded=0 told=0 compilers=gcc,clang
#include <omp.h>

#include "process.h"

static void region(int threads) {
#pragma omp parallel num_threads(threads)
  CHECK(omp_get_num_threads() == threads);
}

static int shows(void) {
  for (int round = 0; round < 3; ++round) {
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
    CHECK(omp_get_level() == 2);
  }
  region(1);
  region(2);
  region(1);
  region(3);
  return 0;
}

// In clang's programs a clause is not for the regions inside (bind_clause.c).
#ifdef __clang__
#define INSIDE(policy) CHECK(omp_get_proc_bind() == omp_proc_bind_spread)
#else
#define INSIDE(policy) CHECK(omp_get_proc_bind() == policy)
#endif

/// Three regions in which the same threads have other places.
static int rebinds(void) {
#pragma omp parallel num_threads(2) proc_bind(spread)
  INSIDE(omp_proc_bind_spread);
#pragma omp parallel num_threads(2) proc_bind(spread)
  INSIDE(omp_proc_bind_spread);
#pragma omp parallel num_threads(2) proc_bind(close)
  INSIDE(omp_proc_bind_close);
#pragma omp parallel num_threads(2) proc_bind(master)
  INSIDE(omp_proc_bind_master);
#pragma omp parallel num_threads(2) proc_bind(master)
  INSIDE(omp_proc_bind_master);
  return 0;
}

static int times(const char* text, const char* line) {
  int count = 0;
  for (const char* at = text; (at = strstr(at, line)); at += strlen(line))
    count++;
  return count;
}

int main(int argc, char** argv) {
  if (argc > 1)
    return strcmp(argv[1], "shows") == 0 ? shows() : rebinds();
  setenv("OMP_DISPLAY_AFFINITY", "true", 1);
  struct outcome inactive =
      run_self("shows", "OMP_AFFINITY_FORMAT=[%L %n of %N]", "OMP_MAX_ACTIVE_LEVELS=1");
  CHECK(inactive.status == 0);
  CHECK(strlen(inactive.output) == 5 * strlen("[1 0 of 2]\n"));
  CHECK(times(inactive.output, "[1 0 of 2]\n") == 1);
  CHECK(times(inactive.output, "[1 1 of 2]\n") == 1);
  for (int i = 0; i < 3; ++i) {
    char line[32];
    snprintf(line, sizeof line, "[1 %d of 3]\n", i);
    CHECK(times(inactive.output, line) == 1);
  }
  struct outcome active =
      run_self("shows", "OMP_AFFINITY_FORMAT=[%L %n of %N]", "OMP_MAX_ACTIVE_LEVELS=2");
  CHECK(active.status == 0);
  CHECK(times(active.output, "[2 0 of 2]\n") >= 2);
  CHECK(times(active.output, "[2 1 of 2]\n") >= 2);
  struct outcome rebound =
      run_self("rebinds", "OMP_AFFINITY_FORMAT=[%n of %N]", "OMP_PLACES={0},{0},{0},{0}");
  CHECK(rebound.status == 0);
  CHECK(times(rebound.output, "[0 of 2]\n") == 3);
  CHECK(times(rebound.output, "[1 of 2]\n") == 3);
  return 0;
}
