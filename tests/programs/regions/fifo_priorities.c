// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Members of a team may have different real-time priorities: who waits for a thread of a lower one
// lets it run. Naive version: it spins or yields until the other one has gone on, which on a
// machine whose processors are all taken by such threads is never.
// xomp-test: threads=4 barriers=tree,central flags=-D_GNU_SOURCE schedulers=slb,xqueue-ws,na-rp,ws,mts compilers=gcc,clang
// AddressSanitizer has spin locks of its own, behind which it waits like that.
// xomp-test: skip=tsan,asan timeout=30 serial=1 recorded=0 told=0
#include <omp.h>
#include <pthread.h>
#include <sched.h>

#include "check.h"

enum { kRounds = 150, kRepeats = 3 };

static int allowed = 1;
static long sum;

static void add(void) { __atomic_fetch_add(&sum, 1, __ATOMIC_RELAXED); }

static void take_priority(int number) {
  struct sched_param parameters = {.sched_priority = 10 + number};
  if (pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters) != 0)
    __atomic_store_n(&allowed, 0, __ATOMIC_RELAXED);
}

static void tasks(int* chain) {
#pragma omp task depend(inout : chain[0])
  add();
#pragma omp taskgroup
  {
#pragma omp task
    add();
  }
#pragma omp barrier
}

static void loops(void) {
#pragma omp for schedule(dynamic) nowait
  for (int i = 0; i < 20; ++i) {
#pragma omp critical
    add();
  }
#pragma omp single
  add();
}

static void* run(void* unused) {
#pragma omp parallel
  {
    int chain[1];
    take_priority(omp_get_thread_num());
#pragma omp barrier
    for (int round = 0; allowed && round < kRounds; ++round) {
      tasks(chain);
      loops();
    }
  }
  return unused;
}

// Fewer processors than threads.
static void on_two_processors(void) {
  cpu_set_t all, two;
  CHECK(sched_getaffinity(0, sizeof all, &all) == 0);
  CPU_ZERO(&two);
  for (int p = 0; p < CPU_SETSIZE && CPU_COUNT(&two) < 2; ++p) {
    if (CPU_ISSET(p, &all))
      CPU_SET(p, &two);
  }
  CHECK(sched_setaffinity(0, sizeof two, &two) == 0);
}

int main(void) {
  on_two_processors();
  for (int i = 0; allowed && i < kRepeats; ++i) {
    pthread_t thread;
    sum = 0;
    CHECK(pthread_create(&thread, NULL, run, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(!allowed || sum == kRounds * (2 * omp_get_max_threads() + 20 + 1));
  }
  return allowed ? 0 : 77;
}
