// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A task with a priority is begun before all tasks without one that its creator has made before,
// the first of a program as well as later ones, and before those that follow. Under
// OMP_MAX_TASK_PRIORITY: else priorities have no effect. Naive version: ordinary tasks wait on
// their creator's stack, which it works off first.
// xomp-test: threads=1,2,4 barriers=tree env=OMP_MAX_TASK_PRIORITY=3 compilers=gcc,clang
#include <omp.h>

#include "check.h"

enum { kTasks = 50, kRounds = 20 };

static int order, place[4];

// Which task this is, of those that were begun.
static void begin(int which) {
  int now = __atomic_fetch_add(&order, 1, __ATOMIC_RELAXED);
  if (which > 0)
    place[which] = now;
}

static void create(int which) {
#pragma omp task priority(which)
  begin(which);
}

static void ordinary(void) {
  for (int i = 0; i < kTasks; ++i) {
#pragma omp task
    begin(0);
  }
}

static void create_all(int round) {
  order = 0;
  if (round % 2 == 0)
    ordinary();
  create(1);
  ordinary();
  create(3);
  create(0);
  create(2);
  ordinary();
}

int main(void) {
  if (omp_get_max_task_priority() != 3)
    return 0; // run without the environment that the test gives it
  for (int round = 0; round < kRounds; ++round) {
    int done = 0;
#pragma omp parallel
    if (omp_get_thread_num() == 0) {
      create_all(round);
#pragma omp taskwait
      __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
    } else {
      // Else who has begun one might lose its processor before it says so.
      while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE))
        ;
    }
    for (int which = 1; which <= 3; ++which)
      CHECK(place[which] == 3 - which);
    CHECK(order == 4 + (round % 2 == 0 ? 3 : 2) * kTasks);
  }
  return 0;
}
