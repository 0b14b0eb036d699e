// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// XOMP_LOCALITY=oblivious: for which domain a task is meant decides nothing (paper 3, Fig. 18 (a)).
// Thread 0 makes a task for nobody in particular and one for the other domain; thread 1, of its own
// domain, is the only one that may look for them. Both lie in their domain's queue, so the newest
// comes first; else it would lie with the other domain, and come last.
//
// xomp-test: threads=4 env=XOMP_SCHEDULER=mts env=XOMP_LOCALITY=oblivious libs=lib/libxomp.so compilers=gcc,clang
// xomp-test: "env=XOMP_TOPOLOGY=numa:2 core:2 pu:1"
#include <omp.h>
#include <stdatomic.h>
#include <unistd.h>

#include "../../../include/xomp.h"
#include "check.h"

static atomic_int made, ran;
static int order[2];

static void run(int which) { order[ran++] = which; }

static void create(void) {
#pragma omp task
  run(1);
  omp_child_task_affinity(1);
#pragma omp task
  run(2);
  omp_child_task_affinity(-1);
}

int main(void) {
#pragma omp parallel
  {
    if (omp_get_thread_num() == 0) {
      CHECK(omp_get_num_locality_domains() == 2);
      create();
      made = 1;
    }
    while (omp_get_thread_num() == 1 ? !made : ran < 2)
      usleep(100);
  }
  CHECK(order[0] == 2 && order[1] == 1);
  return 0;
}
