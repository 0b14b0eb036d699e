// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A final task that opens a taskgroup, or sets an ICV, has an environment of its own while it runs,
// and its creator the one that it had before.
//
// xomp-test: threads=1,2,4 schedulers=slb,ws compilers=gcc,clang
#include <omp.h>

#include "check.h"

enum { kTasks = 200, kThreads = 3 };

static void final_task(int i, int* left) {
#pragma omp task final(1) firstprivate(i, left)
  {
    CHECK(omp_in_final());
    if (i % 2)
      omp_set_num_threads(kThreads);
#pragma omp taskgroup
    {
      int deferred = 1;
#pragma omp task shared(deferred)
      deferred = 0;
      CHECK(!deferred); // part of a final task
    }
    CHECK(omp_in_final());
    CHECK(i % 2 == 0 || omp_get_max_threads() == kThreads);
#pragma omp atomic
    --*left;
  }
}

static void ordinary_task(int threads, int* left) {
#pragma omp task firstprivate(threads, left)
  {
    CHECK(!omp_in_final() && omp_get_max_threads() == threads);
#pragma omp atomic
    --*left;
  }
}

// Groups in groups, with final tasks here and there, which are stolen with the others.
static long count_leaves(int depth, int key) {
  if (depth == 0)
    return 1;
  long leaves[6];
#pragma omp taskgroup
  for (int i = 0; i < 6; ++i) {
    long* sum = &leaves[i];
#pragma omp task final((key + i) % 5 == 0) firstprivate(sum)
    *sum = count_leaves(depth - 1, 6 * key + i);
  }
  long all = 0;
  for (int i = 0; i < 6; ++i)
    all += leaves[i];
  return all;
}

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    int threads = omp_get_max_threads(), left = 2 * kTasks;
    for (int i = 0; i < kTasks; ++i) {
      final_task(i, &left);
      ordinary_task(threads, &left);
    }
#pragma omp taskwait
    CHECK(left == 0);
    CHECK(!omp_in_final() && omp_get_max_threads() == threads);
    for (int round = 0; round < 30; ++round)
      CHECK(count_leaves(4, round) == 6 * 6 * 6 * 6);
  }
  return 0;
}
