// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A recursion of regions of two threads, in which never more than kBusy threads work: other threads
// come to open regions at other depths all the time. Threads that are kept for later regions must
// not become as many as threads and depths there ever were: 900 and more without a bound.
// xomp-test: threads=4 env=OMP_MAX_ACTIVE_LEVELS=100 timeout=120 compilers=gcc,clang
#include <omp.h>

#include "process.h"

enum { kBusy = 48, kDepth = 11, kRounds = 12, kMostThreads = 500 };

static int busy;   // atomic
static long calls; // atomic

static unsigned mix(unsigned key) {
  key = (key ^ (key >> 15)) * 0x2c1b3c6du;
  return key ^ (key >> 12);
}

/// Uneven, so that the two halves end at different times.
static void descend(unsigned key, int depth) {
  __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
  if (depth == 0) {
    for (volatile unsigned spin = mix(key) % 2000; spin > 0; --spin)
      ;
    return;
  }
  if (__atomic_load_n(&busy, __ATOMIC_RELAXED) >= kBusy) {
    descend(2 * key, depth - 1);
    descend(2 * key + 1, depth - 1);
    return;
  }
  __atomic_fetch_add(&busy, 1, __ATOMIC_RELAXED);
#pragma omp parallel num_threads(2) firstprivate(key, depth)
  {
    CHECK(omp_get_num_threads() == 2);
    descend(2 * key + omp_get_thread_num(), depth - 1);
    if (omp_get_thread_num() == 1)
      __atomic_fetch_sub(&busy, 1, __ATOMIC_RELAXED);
  }
}

int main(void) {
  long most = 0;
  for (int round = 1; round <= kRounds; ++round) {
    descend(round, kDepth);
    if (thread_count() > most)
      most = thread_count();
  }
  CHECK(calls == kRounds * ((2L << kDepth) - 1));
  printf("at most %ld threads\n", most);
  CHECK(most <= kMostThreads);
  return 0;
}
