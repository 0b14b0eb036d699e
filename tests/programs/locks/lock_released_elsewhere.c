// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A simple lock may be released by another thread than the one that set it. OpenMP forbids that, as
// the lock belongs to a task, but programs do so on libgomp.
// xomp-test: threads=2 told=mutexes compilers=gcc,clang
#include <omp.h>

#include "check.h"

int main(void) {
  omp_lock_t lock;
  omp_init_lock(&lock);
  omp_set_lock(&lock);
  int passed = 0;
#pragma omp parallel num_threads(2) shared(passed)
  {
#pragma omp single nowait
    omp_unset_lock(&lock);
#pragma omp barrier
#pragma omp single
    {
      omp_set_lock(&lock);
      passed = 1;
      omp_unset_lock(&lock);
    }
  }
  CHECK(passed);
  omp_destroy_lock(&lock);
  return 0;
}
