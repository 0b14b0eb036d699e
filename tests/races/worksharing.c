// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops and sections.
#include "parts.h"

static void ok_static(void) {
  int data[100];
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int i = 0; i < 100; ++i)
      data[i] = i;
#pragma omp for schedule(static)
    for (int i = 0; i < 100; ++i)
      EXPECT(data[99 - i] == 99 - i);
  }
}

static void race_static(void) {
  int data[100];
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < 100; ++i)
      data[i] = i;
#pragma omp for schedule(static)
    for (int i = 0; i < 100; ++i)
      sink = data[99 - i];
  }
}

// With nowait, and without an error: each thread gets the same iterations twice.
static void ok_nowait(void) {
  int data[100];
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < 100; ++i)
      data[i] = i;
#pragma omp for schedule(static)
    for (int i = 0; i < 100; ++i)
      EXPECT(data[i] == i);
  }
}

static void race_nowait(void) {
  int sum = 0;
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < 100; ++i)
      if (i == 99)
        sum = i;
    sink = sum;
  }
}

static void ok_dynamic(void) {
  int data[kTasks];
#pragma omp parallel
  {
#pragma omp for schedule(dynamic, 1)
    for (int i = 0; i < kTasks; ++i) {
      data[i] = i;
      pause_briefly();
    }
#pragma omp for schedule(guided)
    for (int i = 0; i < kTasks; ++i)
      EXPECT(data[kTasks - 1 - i] == kTasks - 1 - i);
  }
}

static void race_dynamic(void) {
  int value = 0;
#pragma omp parallel for schedule(dynamic, 1)
  for (int i = 0; i < kTasks; ++i) {
    value = i;
    pause_briefly();
  }
  sink = value;
}

static void ok_ordered(void) {
  int last = -1;
#pragma omp parallel for schedule(dynamic, 1) ordered
  for (int i = 0; i < kTasks; ++i) {
    pause_briefly();
#pragma omp ordered
    {
      EXPECT(last == i - 1);
      last = i;
    }
  }
}

static void race_ordered(void) {
  int last = -1;
#pragma omp parallel for schedule(dynamic, 1) ordered
  for (int i = 0; i < kTasks; ++i) {
#pragma omp ordered
    sink = i;
    last = i;
    pause_briefly();
  }
  sink = last;
}

static void ok_doacross(void) {
  int data[kTasks + 1] = {0};
#pragma omp parallel for schedule(static, 1) ordered(1)
  for (int i = 1; i <= kTasks; ++i) {
#pragma omp ordered depend(sink : i - 1)
    HAS_WAITED(&data[i - 1]);
    data[i] = data[i - 1] + 1;
    POSTS(&data[i]);
#pragma omp ordered depend(source)
  }
  EXPECT(data[kTasks] == kTasks);
}

static void race_doacross(void) {
  int data[kTasks + 1] = {0};
#pragma omp parallel for schedule(static, 1) ordered(1)
  for (int i = 1; i <= kTasks; ++i) {
#pragma omp ordered depend(sink : i - 2)
    HAS_WAITED(&data[i > 1 ? i - 2 : 0]);
    data[i] = data[i - 1] + 1;
    POSTS(&data[i]);
#pragma omp ordered depend(source)
  }
}

static void ok_sections(void) {
  int a = 0, b = 0;
#pragma omp parallel
  {
#pragma omp sections
    {
#pragma omp section
      {
        a = 1;
        pause_briefly();
      }
#pragma omp section
      {
        b = 1;
        pause_briefly();
      }
    }
    EXPECT(a + b == 2);
  }
}

static void race_sections(void) {
  int a = 0;
  for (int round = 0; round < 5; ++round)
#pragma omp parallel sections
  {
#pragma omp section
    {
      a = 1;
      pause_briefly();
    }
#pragma omp section
    {
      a = 2;
      pause_briefly();
    }
  }
  sink = a;
}

static void ok_reduction(void) {
  int sum = 0;
#pragma omp parallel
  {
#pragma omp for reduction(+ : sum)
    for (int i = 0; i < 100; ++i)
      sum += i;
    EXPECT(sum == 4950);
  }
  double product = 1;
#pragma omp parallel reduction(* : product)
  product *= 1;
  EXPECT(product == 1);
}

static void race_reduction(void) {
  int sum = 0;
#pragma omp parallel for
  for (int i = 0; i < 100; ++i)
    sum += i;
  sink = sum;
}

const struct Part worksharing_parts[] = {
    PART(static),   PART(nowait),   PART(dynamic),   PART(ordered),
    PART(doacross), PART(sections), PART(reduction), {0},
};
