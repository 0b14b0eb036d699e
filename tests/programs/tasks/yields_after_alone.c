// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A team that had one thread, for want of memory for the others' stacks, has more in its next
// region, and there taskyield shows what lies in its thread's queue, where nobody else could take
// it. Naive version: what taskyield has learnt in the team of one holds for ever.
// xomp-test: threads=3 env=XOMP_SCHEDULER=slb timeout=30 skip=asan,tsan recorded=0 told=0 compilers=gcc,clang
#include <omp.h>

#include "polling.h"
#include "process.h"

enum { kThreads = 3, kTasks = 9, kElsewhere = 6 }; // the others lie in the creator's own queue

static void yield_alone(void) {
  struct rlimit all, little;
  CHECK(getrlimit(RLIMIT_AS, &all) == 0);
  little = all;
  little.rlim_cur = (rlim_t)(status_line("VmSize:") + 1024) * 1024;
  CHECK(setrlimit(RLIMIT_AS, &little) == 0);
  int members = 0;
#pragma omp parallel num_threads(kThreads)
  {
#pragma omp atomic
    members++;
    for (int i = 0; i < 200; ++i) {
#pragma omp taskyield
    }
  }
  CHECK(setrlimit(RLIMIT_AS, &all) == 0);
  CHECK(members == 1);
}

static atomic_int done, ready;

int main(void) {
  yield_alone();
#pragma omp parallel num_threads(kThreads)
  {
    atomic_fetch_add(&ready, 1);
    poll_until(&ready, kThreads);
    if (omp_get_thread_num() == 1) {
      for (int i = 0; i < kTasks; ++i) {
#pragma omp task
        atomic_fetch_add(&done, 1);
      }
      poll_until(&done, kElsewhere);
    } else if (omp_get_thread_num() == 0) {
      while (atomic_load(&done) < kElsewhere) {
#pragma omp taskyield
      }
    }
  }
  CHECK(done == kTasks);
  return 0;
}
