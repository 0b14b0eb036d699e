// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The schedule of schedule(runtime) that nobody has asked for is that of the compiler's own
// runtime: dynamic for gcc's programs, static for those of clang; so is what omp_get_schedule says
// of a static one that OMP_SCHEDULE names without a modifier.
// xomp-test: compilers=gcc,clang threads=1,2,4 recorded=0 told=0
#include <omp.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

#ifdef __clang__
static const int clangs = 1;
#else
static const int clangs = 0;
#endif

enum { kTrips = 64 };

static int is(omp_sched_t expected, int expected_chunk) {
  omp_sched_t kind;
  int chunk;
  omp_get_schedule(&kind, &chunk);
  return kind == expected && chunk == expected_chunk;
}

/// Whether each thread has the block that a static loop gives it.
static int in_blocks(void) {
  int owner[kTrips], threads = 1, same = 1;
#pragma omp parallel
  {
#pragma omp single
    threads = omp_get_num_threads();
#pragma omp for schedule(runtime)
    for (int i = 0; i < kTrips; ++i)
      owner[i] = omp_get_thread_num();
  }
  for (int i = 0; i < kTrips; ++i)
    same &= owner[i] == i / (kTrips / threads);
  return same;
}

int main(int count, char** words) {
  if (count > 1) { // OMP_SCHEDULE=static
    CHECK(is(clangs ? omp_sched_static : omp_sched_static | omp_sched_monotonic, 0));
    CHECK(in_blocks());
    return 0;
  }
  CHECK(clangs ? is(omp_sched_static, 0) : is(omp_sched_dynamic, 1));
  if (clangs)
    CHECK(in_blocks());
  omp_set_schedule(omp_sched_dynamic, 1);
  CHECK(is(omp_sched_dynamic, 1));
#pragma omp parallel
  {
    CHECK(is(omp_sched_dynamic, 1));
    omp_set_schedule(omp_sched_static | omp_sched_monotonic, 0);
    CHECK(is(omp_sched_static | omp_sched_monotonic, 0));
  }
  setenv("OMP_SCHEDULE", "static", 1);
  char* again[] = {words[0], "again", NULL};
  execv(words[0], again);
  return 1;
}
