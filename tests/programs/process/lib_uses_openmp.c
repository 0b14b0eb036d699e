// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For dlopen.c: a library that uses OpenMP.
#include <omp.h>

#ifndef __SANITIZE_ADDRESS__ // the leak checker follows pointers to the thread-local storage of
                             // unloaded libraries
static long total;
#pragma omp threadprivate(total)
#endif

long sum_with_tasks(int threads) {
  long sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
  {
    long mine = 0;
#pragma omp for
    for (int i = 0; i < 100; i++)
      mine += i;
#ifndef __SANITIZE_ADDRESS__
    total = mine;
    mine = total;
#endif
    sum += mine;
#pragma omp single
    for (int i = 0; i < 20; i++) {
      int local = i;
#pragma omp task shared(sum) firstprivate(local)
      {
#pragma omp critical(in_library)
        local++;
      }
    }
  }
  return sum;
}
