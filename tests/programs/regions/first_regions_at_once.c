// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads of the program's own that open their first regions at the same time.
// xomp-test: threads=2 libs=-lpthread compilers=gcc,clang
#include "check.h"

#include <omp.h>
#include <pthread.h>

enum { kThreads = 16, kRounds = 10 };

static void* opens_a_region(void* id) {
  int sum = 0;
#pragma omp parallel num_threads(1 + (int)(long)id % 3) reduction(+ : sum)
  {
#pragma omp for
    for (int i = 0; i < 10; ++i)
      sum += i;
#pragma omp task
    {
    }
  }
  CHECK(sum == 45);
  return NULL;
}

int main(void) {
  for (int round = 0; round < kRounds; ++round) {
    pthread_t threads[kThreads];
    for (long i = 0; i < kThreads; ++i)
      CHECK(pthread_create(&threads[i], NULL, opens_a_region, (void*)i) == 0);
    for (int i = 0; i < kThreads; ++i)
      CHECK(pthread_join(threads[i], NULL) == 0);
  }
  return 0;
}
