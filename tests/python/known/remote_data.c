// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All data are in one locality domain, tasks run in both: elsewhere they take five times as long.
// (On a described topology all memory is equally near: the program makes up the difference.)
#include "work.h"
#include <xomp.h>

int main(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 200; i++) {
    omp_child_task_affinity(1);
#pragma omp task
    work(omp_get_locality_domain_num() == 1 ? 2 : 10);
  }
}
