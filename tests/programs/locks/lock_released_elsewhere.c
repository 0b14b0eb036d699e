// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A simple lock may be released by another thread than the one that set it. OpenMP forbids that, as
// the lock belongs to a task, but programs do so on libgomp. So may one that others wait for.
// xomp-test: threads=2 told=mutexes compilers=gcc,clang
#include <omp.h>

#include "check.h"

static void wait_a_while(void) {
  for (double end = omp_get_wtime() + 2e-3; omp_get_wtime() < end;)
    ;
}

int main(void) {
  omp_lock_t lock;
  omp_init_lock(&lock);
  int passed = 0;
  for (int round = 0; round < 10; round++) {
    omp_set_lock(&lock);
#pragma omp parallel num_threads(2)
    {
      if (omp_get_thread_num() == 1) {
        if (round % 2)
          wait_a_while(); // the other one waits for it
        omp_unset_lock(&lock);
      }
      omp_set_lock(&lock);
      passed++;
      omp_unset_lock(&lock);
    }
  }
  CHECK(passed == 20);
  omp_destroy_lock(&lock);
  return 0;
}
