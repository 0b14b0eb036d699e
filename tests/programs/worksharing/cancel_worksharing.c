// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cancel for, sections, taskgroup and parallel: the construct ends early, what follows is whole,
// and a member still in an earlier nowait loop loses nothing.
// xomp-test: threads=1,2,8 env=OMP_CANCELLATION=true timeout=120 compilers=gcc,clang
#include <omp.h>
#include <unistd.h>

#include "check.h"

enum { kSize = 100000 };

static void loops(void) {
  static int hits[kSize];
  int executed = 0, earlier = 0;
#pragma omp parallel
  {
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < 64; ++i) {
      if (i % 8 == 7)
        usleep(200);
#pragma omp atomic
      earlier++;
    }
#pragma omp for schedule(dynamic, 16)
    for (int i = 0; i < kSize; ++i) {
#pragma omp atomic
      executed++;
      if (i == 500) {
#pragma omp cancel for
      }
#pragma omp cancellation point for
    }
#pragma omp for
    for (int i = 0; i < kSize; ++i) {
#pragma omp atomic
      hits[i]++;
      if (i == -1) {
#pragma omp cancel for
      }
    }
#pragma omp for schedule(static)
    for (int i = 0; i < kSize; ++i) {
      if (i == 3) {
#pragma omp cancel for
      }
#pragma omp cancellation point for
    }
  }
  CHECK(earlier == 64 && executed > 0 && executed < kSize);
  for (int i = 0; i < kSize; ++i) {
    CHECK(hits[i] == 1);
    hits[i] = 0;
  }
}

static void sections(void) {
  int after = 0, threads = 0;
#pragma omp parallel reduction(+ : after, threads)
  {
#pragma omp sections
    {
#pragma omp section
      {
#pragma omp cancel sections
        CHECK(!omp_get_cancellation());
      }
#pragma omp section
      {
#pragma omp cancellation point sections
        usleep(10);
      }
    }
    threads = 1;
#pragma omp sections
    {
#pragma omp section
      after++;
#pragma omp section
      after++;
    }
  }
  CHECK(after == 2 && threads == omp_get_max_threads());
}

static void groups(void) {
  int run = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    {
#pragma omp taskloop num_tasks(1000) shared(run)
      for (int i = 0; i < 1000; ++i) {
#pragma omp cancellation point taskgroup
#pragma omp atomic
        run++;
        if (i == 20) {
#pragma omp cancel taskgroup
        }
      }
    }
#pragma omp taskgroup
    for (int i = 0; i < 10; ++i)
#pragma omp task shared(run)
#pragma omp atomic
      run += 10000;
  }
  CHECK(run >= 100000 && run <= 101000);
}

// Members that wait for a barrier leave when the region is cancelled; the next region starts
// afresh.
static void regions(int round) {
  int started = 0;
#pragma omp parallel
  {
#pragma omp atomic
    started++;
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < 10; ++i)
      usleep(1);
    if (omp_get_thread_num() == round % omp_get_num_threads()) {
#pragma omp cancel parallel
    }
#pragma omp barrier
    CHECK(!omp_get_cancellation());
  }
  CHECK(started == omp_get_max_threads());
  int sum = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
  for (int i = 0; i < 100; ++i)
    sum += i;
  CHECK(sum == 4950);
}

int main(void) {
  for (int i = 0; i < 20; ++i) {
    loops();
    sections();
    groups();
    regions(i);
  }
  return 0;
}
