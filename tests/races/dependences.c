// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Order between tasks: dependences and events.
#include "parts.h"

static void ok_depend(void) {
  int a = 0, b = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 1; i <= kTasks / 3; ++i) {
#pragma omp task shared(a) depend(inout : a)
    {
      ++a;
      pause_briefly();
    }
#pragma omp task shared(a, b) depend(in : a) depend(out : b)
    {
      b = a;
      pause_briefly();
    }
#pragma omp task shared(a, b) depend(in : a, b)
    {
      EXPECT(a == b);
      pause_briefly();
    }
  }
  EXPECT(a == kTasks / 3);
}

static void race_depend(void) {
  int a = 0, b = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 1; i <= kTasks / 2; ++i) {
#pragma omp task shared(a) depend(inout : a)
    {
      ++a;
      pause_briefly();
    }
#pragma omp task shared(a, b) depend(out : b)
    {
      b = a;
      pause_briefly();
    }
  }
}

static void ok_mutexinoutset(void) {
  int sum = 0, set;
  (void)set;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < kTasks; ++i)
#pragma omp task shared(sum) depend(mutexinoutset : set)
    {
      ++sum;
      pause_briefly();
    }
#pragma omp task shared(sum) depend(in : set)
    EXPECT(sum == kTasks);
  }
}

static void race_mutexinoutset(void) {
  int sum = 0, set;
  (void)set;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kTasks; ++i)
#pragma omp task shared(sum) depend(in : set)
  {
    ++sum;
    pause_briefly();
  }
}

static void ok_taskwait_depend(void) {
  int a = 0, b = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 1; i <= kTasks / 2; ++i) {
#pragma omp task shared(a) depend(out : a)
    {
      a = i;
      pause_briefly();
    }
#pragma omp task shared(b) depend(out : b)
    {
      b = i;
      pause_briefly();
    }
#pragma omp taskwait depend(in : a)
    EXPECT(a == i);
#pragma omp taskwait
    EXPECT(b == i);
  }
}

static void race_taskwait_depend(void) {
  int a = 0, others[kTasks] = {0};
#pragma omp parallel
#pragma omp single
  {
#pragma omp task shared(a) depend(out : a)
    {
      a = 1;
      pause_briefly();
    }
    for (int i = 0; i < kTasks; ++i)
#pragma omp task shared(others)
    {
      others[i] = i;
      pause_briefly();
    }
#pragma omp taskwait depend(in : a)
    for (int i = 0; i < kTasks; ++i)
      sink = others[i];
  }
}

// What is done before an event is fulfilled comes before what waits for the detached task.
static void ok_detach(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kTasks / 4; ++i) {
    int value = 0, early = 0;
    omp_event_handle_t event = 0;
#pragma omp task detach(event) depend(out : value)
    early = 1;
#pragma omp task shared(value) firstprivate(event)
    {
      pause_briefly();
      value = 7;
      omp_fulfill_event(event);
    }
#pragma omp task shared(value) depend(in : value)
    EXPECT(value == 7);
#pragma omp taskwait
    EXPECT(value == 7);
    sink = early;
  }
}

static void race_detach(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kTasks / 4; ++i) {
    int value = 0;
    omp_event_handle_t event = 0;
#pragma omp task detach(event)
    sink = 1;
#pragma omp task shared(value) firstprivate(event)
    {
      omp_fulfill_event(event);
      value = 7;
      pause_briefly();
    }
    pause_briefly();
    sink = value;
#pragma omp taskwait
  }
}

const struct Part dependence_parts[] = {
    PART(depend), PART(mutexinoutset), PART(taskwait_depend), PART(detach), {0},
};
