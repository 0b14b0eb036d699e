// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks, and what waits for them.
#include "parts.h"

static void ok_task_creation(void) {
  int values[kTasks];
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kTasks; ++i) {
    values[i] = i;
#pragma omp task shared(values)
    {
      EXPECT(values[i] == i);
      pause_briefly();
    }
  }
}

// The task reads while its creator waits to write. (Later reads look ordered: Archer takes locks of
// its own when tasks are created and when they end.)
static void race_task_creation(void) {
  int values[kTasks] = {0};
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kTasks; ++i) {
#pragma omp task shared(values)
    sink = values[i];
    pause_briefly();
    pause_briefly();
    values[i] = i;
  }
}

static void ok_taskwait(void) {
  int values[kTasks];
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < kTasks; ++i)
#pragma omp task shared(values)
    {
      values[i] = i;
      pause_briefly();
    }
#pragma omp taskwait
    for (int i = 0; i < kTasks; ++i)
      EXPECT(values[i] == i);
  }
}

static void race_taskwait(void) {
  int values[kTasks] = {0};
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < kTasks; ++i)
#pragma omp task shared(values)
    {
      values[i] = i;
      pause_briefly();
    }
    for (int i = 0; i < kTasks; ++i)
      sink = values[i];
  }
}

// The barrier waits for tasks of all threads.
static void ok_barrier_tasks(void) {
  int values[kTasks];
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < kTasks; ++i)
#pragma omp task shared(values)
    {
      values[i] = i;
      pause_briefly();
    }
#pragma omp barrier
    for (int i = 0; i < kTasks; ++i)
      EXPECT(values[i] == i);
  }
}

// A taskwait waits for the thread's own only.
static void race_barrier_tasks(void) {
  int values[kTasks] = {0};
#pragma omp parallel
  {
#pragma omp for nowait
    for (int i = 0; i < kTasks; ++i)
#pragma omp task shared(values)
    {
      values[i] = i;
      pause_briefly();
    }
#pragma omp taskwait
    for (int i = 0; i < kTasks; ++i)
      sink = values[i];
  }
}

static void ok_taskgroup(void) {
  int values[kTasks];
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    for (int i = 0; i < kTasks; ++i)
#pragma omp task shared(values)
    {
#pragma omp task shared(values)
      {
        values[i] = i;
        pause_briefly();
      }
    }
    for (int i = 0; i < kTasks; ++i)
      EXPECT(values[i] == i);
  }
}

// A taskwait does not wait for grandchildren.
static void race_taskgroup(void) {
  int values[kTasks] = {0};
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < kTasks; ++i)
#pragma omp task shared(values)
    {
#pragma omp task shared(values)
      {
        pause_briefly();
        values[i] = i;
      }
      pause_briefly();
    }
#pragma omp taskwait
    for (int i = 0; i < kTasks; ++i)
      sink = values[i];
  }
}

// Tasks that are run at once are ordered with who creates them, and with nobody else.
static void ok_undeferred(void) {
  int value = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kTasks; ++i) {
#pragma omp task shared(value) if (0)
    value += 1;
#pragma omp task shared(value) final(1) if (0)
    {
#pragma omp task shared(value)
      value += 1;
    }
    EXPECT(value == 2 * i + 2);
  }
}

static void race_undeferred(void) {
  int value = 0;
#pragma omp parallel
  for (int i = 0; i < kTasks; ++i) {
#pragma omp task shared(value) if (0)
    value += 1;
  }
}

// Recursive, with tasks of all sizes: most are run at once, some by others.
static int leaves(int depth) {
  if (depth == 0) {
    pause_briefly();
    return 1;
  }
  int left, right;
#pragma omp task shared(left)
  left = leaves(depth - 1);
#pragma omp task shared(right)
  right = leaves(depth - 1);
#pragma omp taskwait
  return left + right;
}

static void ok_recursion(void) {
  int sum = 0;
#pragma omp parallel
#pragma omp single
  sum = leaves(5);
  EXPECT(sum == 32);
}

static void race_recursion_tree(int depth, int* count) {
  if (depth == 0) {
    pause_briefly();
    ++*count;
    return;
  }
#pragma omp task
  race_recursion_tree(depth - 1, count);
#pragma omp task
  race_recursion_tree(depth - 1, count);
#pragma omp taskwait
}

static void race_recursion(void) {
  int count = 0;
#pragma omp parallel
#pragma omp single
  race_recursion_tree(5, &count);
}

const struct Part task_parts[] = {
    PART(task_creation),
    PART(taskwait),
    PART(barrier_tasks),
    PART(taskgroup),
    PART(undeferred),
    PART(recursion),
    {0},
};
