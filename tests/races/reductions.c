// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// taskloop, and reductions of tasks.
#include "parts.h"

static void ok_taskloop(void) {
  int values[kTasks];
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop grainsize(1) shared(values)
    for (int i = 0; i < kTasks; ++i) {
      values[i] = i;
      pause_briefly();
    }
    for (int i = 0; i < kTasks; ++i)
      EXPECT(values[i] == i);
  }
}

static void race_taskloop(void) {
  int values[kTasks] = {0};
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop grainsize(1) shared(values) nogroup
    for (int i = 0; i < kTasks; ++i) {
      values[i] = i;
      pause_briefly();
    }
    for (int i = 0; i < kTasks; ++i)
      sink = values[i];
  }
}

static void ok_task_reduction(void) {
  int sum = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup task_reduction(+ : sum)
    for (int i = 0; i < kTasks; ++i)
#pragma omp task in_reduction(+ : sum)
    {
      sum += i;
      pause_briefly();
    }
    EXPECT(sum == kTasks * (kTasks - 1) / 2);
#pragma omp taskloop grainsize(1) reduction(+ : sum)
    for (int i = 0; i < kTasks; ++i) {
      sum += i;
      pause_briefly();
    }
    EXPECT(sum == kTasks * (kTasks - 1));
  }
}

static void race_task_reduction(void) {
  int sum = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup
  for (int i = 0; i < kTasks; ++i)
#pragma omp task shared(sum)
  {
    sum += i;
    pause_briefly();
  }
  sink = sum;
}

// The private copies of a whole region.
static void ok_region_task_reduction(void) {
  int sum = 0;
#pragma omp parallel reduction(task, + : sum)
#pragma omp single
  for (int i = 0; i < kTasks; ++i)
#pragma omp task in_reduction(+ : sum)
  {
    sum += i;
    pause_briefly();
  }
  EXPECT(sum == kTasks * (kTasks - 1) / 2);
}

static void race_region_task_reduction(void) {
  int sum = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kTasks; ++i)
#pragma omp task shared(sum)
  {
    sum += i;
    pause_briefly();
  }
}

const struct Part reduction_parts[] = {
    PART(taskloop),
    PART(task_reduction),
    PART(region_task_reduction),
    {0},
};
