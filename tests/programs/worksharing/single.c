// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// single: one thread executes each, copyprivate reaches the others, and those that wait run its
// tasks.
// xomp-test: threads=1,2,8,32 compilers=gcc,clang
#include <omp.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

static void counted(void) {
  int count = 0;
#pragma omp parallel
  for (int i = 0; i < 1000; ++i) {
#pragma omp single nowait
#pragma omp atomic
    count++;
  }
  CHECK(count == 1000);
}

// Now one and now another member falls behind, and the next region counts from the beginning.
static void each_once(void) {
  enum { kSingles = 2000, kStretch = 100 };
  for (int round = 0; round < 3; ++round) {
    static int executed[kSingles];
    memset(executed, 0, sizeof executed);
#pragma omp parallel
    for (int i = 0; i < kSingles; ++i) {
      if (i % kStretch == 0 && i / kStretch % omp_get_num_threads() == omp_get_thread_num())
        usleep(200);
#pragma omp single nowait
#pragma omp atomic
      executed[i]++;
    }
    for (int i = 0; i < kSingles; ++i)
      CHECK(executed[i] == 1);
  }
}

static void copied(void) {
  int executed = 0;
#pragma omp parallel
  for (int i = 0; i < 300; ++i) {
    int value[4] = {-1, -1, -1, -1};
    double other = 0;
#pragma omp single copyprivate(value, other)
    {
      for (int j = 0; j < 4; ++j)
        value[j] = i + j;
      other = i * 0.5;
      executed++;
    }
    for (int j = 0; j < 4; ++j)
      CHECK(value[j] == i + j);
    CHECK(other == i * 0.5);
  }
  CHECK(executed == 300);
}

static void tasks_inside(void) {
  int done = 0;
#pragma omp parallel
  {
    int sum = 0;
#pragma omp single copyprivate(sum)
    {
      for (int i = 0; i < 500; ++i)
#pragma omp task shared(done)
#pragma omp atomic
        done++;
#pragma omp taskwait
      sum = done;
    }
    CHECK(sum == 500);
  }
}

static int threadly;
#pragma omp threadprivate(threadly)

static void threadprivate_copied(void) {
#pragma omp parallel
  {
    threadly = omp_get_thread_num();
#pragma omp single copyprivate(threadly)
    threadly = 77;
    CHECK(threadly == 77);
  }
}

int main(void) {
  counted();
  each_once();
  copied();
  tasks_inside();
  threadprivate_copied();
  int outside = 0;
#pragma omp single copyprivate(outside)
  outside = 1;
#pragma omp single
  outside++;
  CHECK(outside == 2);
  return 0;
}
