// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Siblings that nobody else wants are run in the order in which they were created: programs walk
// their data that way, and the caches follow. OpenMP leaves it open.
// xomp-test: threads=1 barriers=tree timeout=60 recorded=0 told=0 compilers=gcc,clang
#include <omp.h>

#include "check.h"

enum { kTasks = 50, kDeep = 4 };

static int order[kTasks], began;

static void create(int count) {
  began = 0;
  for (int i = 0; i < count; i++) {
#pragma omp task firstprivate(i)
    order[began++] = i;
  }
}

static void expect_in_order(int count) {
  CHECK(began == count);
  for (int i = 0; i < count; i++)
    CHECK(order[i] == i);
}

/// Preorder numbers of a tree of tasks, each waiting for its children.
static int next_number;

static void number(int depth, int* numbers) {
  *numbers++ = next_number++;
  if (depth == 0)
    return;
  int size = 1;
  for (int d = 1; d < depth; d++)
    size = size * 3 + 1;
  for (int i = 0; i < 3; i++) {
#pragma omp task
    number(depth - 1, numbers + i * size);
  }
#pragma omp taskwait
}

/// Each of a task's children leaves one behind.
static int left_behind;

static void leave_behind(int i) {
#pragma omp task
  left_behind++;
  order[began++] = i;
}

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    create(kTasks);
#pragma omp taskwait
    expect_in_order(kTasks);
#pragma omp taskgroup
    create(kTasks);
    expect_in_order(kTasks);

    static int numbers[121];
    number(kDeep, numbers);
    for (int i = 0; i < 121; i++)
      CHECK(numbers[i] == i);

    began = 0;
    for (int i = 0; i < kTasks; i++) {
#pragma omp task firstprivate(i)
      leave_behind(i);
    }
#pragma omp taskwait
    expect_in_order(kTasks);
  }
  CHECK(left_behind == kTasks);
#pragma omp parallel
  {
#pragma omp single
    create(kTasks);
    expect_in_order(kTasks);
  }
  return 0;
}
