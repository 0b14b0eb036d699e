// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread that somebody has cancelled uses OpenMP for the first time, opens regions and closes
// them, with all that is done in them: constructs are no cancellation points, although the runtime
// reads files and writes lines in them. Naive version: the thread ends in the middle of a region,
// whose other threads use what was on its stack, or wait for it.
// xomp-test: threads=1,2,4 schedulers=auto,slb,mts timeout=60 env=OMP_DISPLAY_AFFINITY=true
// xomp-test: compilers=gcc,clang
#include <omp.h>
#include <pthread.h>

#include "check.h"

enum { kRounds = 20, kTasks = 20 };

static int rounds;

static void region(int threads) {
  int sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
  {
    sum += 1000;
#pragma omp barrier
#pragma omp single
    for (int i = 0; i < kTasks; ++i) {
#pragma omp task shared(rounds)
      {
#pragma omp atomic
        rounds += 1;
      }
    }
  }
  CHECK(sum >= 1000);
}

static void* cancelled(void* unused) {
  pthread_cancel(pthread_self());
  for (int i = 0; i < kRounds; ++i)
    region(1 + i % 5);
  // Here, at last.
  pthread_testcancel();
  return unused;
}

int main(void) {
  for (int i = 0; i < 5; ++i) {
    pthread_t thread;
    void* result;
    rounds = 0;
    CHECK(pthread_create(&thread, NULL, cancelled, NULL) == 0);
    CHECK(pthread_join(thread, &result) == 0);
    CHECK(result == PTHREAD_CANCELED);
    CHECK(rounds == kRounds * kTasks);
    region(omp_get_max_threads());
  }
}
