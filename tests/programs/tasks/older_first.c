// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The only thread that has nothing to do begins with the oldest task, of whatever kind the tasks
// are: a younger one may wait for an older one while their creator is busy. Naive version: ordinary
// tasks lie where idle threads look after the queues in which tasks with clauses lie.
// xomp-test: threads=2 timeout=60 compilers=gcc,clang
#include <omp.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "check.h"

static atomic_int older_ran, younger_ran, made;
static int item;
static struct {
  char bytes[40000];
} large;

static void older(void) { older_ran = 1; }
static void younger(void) {
  while (!older_ran)
    sched_yield();
  younger_ran = 1;
}
static void busy(void) {
  made = 1;
  while (!younger_ran)
    sched_yield();
}

static void with_dependences(void) {
#pragma omp task
  older();
#pragma omp task depend(inout : item)
  younger();
  busy();
}

static void detachable(void) {
  omp_event_handle_t event = 0;
#pragma omp task
  older();
#pragma omp task detach(event)
  {
    younger();
    omp_fulfill_event(event);
  }
  busy();
}

static void with_many_bytes(void) {
  __typeof__(large) copied = large;
#pragma omp task
  older();
#pragma omp task firstprivate(copied)
  {
    CHECK(copied.bytes[39999] == 0);
    younger();
  }
  busy();
}

static void after_several(void) {
  for (int i = 0; i < 20; i++) {
#pragma omp task
    CHECK(!older_ran);
  }
#pragma omp task
  older();
#pragma omp task depend(inout : item)
  younger();
  busy();
}

static void after_a_grandchild(void) {
#pragma omp task if (0)
  {
#pragma omp task
    older();
  }
#pragma omp task depend(inout : item)
  younger();
  busy();
}

static void in_a_taskgroup(void) {
#pragma omp taskgroup
  with_dependences();
}

static void in_a_task(void) {
#pragma omp task if (0)
  with_dependences();
}

static void (*const shapes[])(void) = {
    with_dependences,   detachable,     with_many_bytes, after_several,
    after_a_grandchild, in_a_taskgroup, in_a_task,
};

int main(void) {
  const int count = sizeof shapes / sizeof *shapes;
  for (int i = 0; i < 20 * count; i++) {
    older_ran = younger_ran = made = 0;
#pragma omp parallel
    {
      if (omp_get_thread_num() == 0)
        shapes[i % count]();
      while (!made)
        sched_yield();
    }
    CHECK(older_ran && younger_ran);
  }
  return 0;
}
