// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread that wants a lock again right after it has released it does not keep the others out, for
// no kind of lock.
// xomp-test: threads=2,8 barriers=tree timeout=90 skip=tsan recorded=0 told=0 compilers=gcc,clang
#include <omp.h>

#include "check.h"

void GOMP_atomic_start(void);
void GOMP_atomic_end(void);

enum { kLock, kNestLock, kCritical, kAtomic, kKinds };
static omp_lock_t lock;
static omp_nest_lock_t nest_lock;

static void work(double seconds) {
  double end = omp_get_wtime() + seconds;
  while (omp_get_wtime() < end)
    ;
}

static void hold(int kind, double seconds) {
  if (kind == kLock) {
    omp_set_lock(&lock);
    work(seconds);
    omp_unset_lock(&lock);
  } else if (kind == kNestLock) {
    omp_set_nest_lock(&nest_lock);
    work(seconds);
    omp_unset_nest_lock(&nest_lock);
  } else if (kind == kCritical) {
#pragma omp critical
    work(seconds);
  } else {
    GOMP_atomic_start();
    work(seconds);
    GOMP_atomic_end();
  }
}

// The least of all threads' numbers of entries, as a part of an even share.
static double least_share(int kind, double held, double seconds) {
  long least = -1, all = 0;
#pragma omp parallel
  {
    long entries = 0;
#pragma omp barrier
    double end = omp_get_wtime() + seconds;
    while (omp_get_wtime() < end) {
      hold(kind, held);
      entries++;
      work(1e-6);
    }
#pragma omp critical(sums)
    {
      all += entries;
      if (least < 0 || entries < least)
        least = entries;
    }
  }
  return (double)least * omp_get_max_threads() / (double)all;
}

int main(void) {
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest_lock);
  for (int kind = 0; kind < kKinds; kind++)
    CHECK(least_share(kind, 5e-3, 0.3) > 0.3); // few entries; what is aimed at is half
  omp_destroy_nest_lock(&nest_lock);
  omp_destroy_lock(&lock);
  return 0;
}
