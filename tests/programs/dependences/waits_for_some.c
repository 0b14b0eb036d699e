// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A wait for some tasks does not run others, which may wait for what comes after it, while there is
// somebody else for them: taskwait with depend, tasks that are not deferred, the end of a
// taskgroup. Naive version: a wait runs whatever the task scheduling constraint allows. In a team
// of one it forgets none either.
// xomp-test: threads=2,3,4 timeout=60 env=OMP_WAIT_POLICY=passive compilers=gcc,clang
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#include "check.h"

static atomic_int let_go, ran;
static atomic_int item, other;

// What waits for the creator, and can only be run by somebody else.
static void until_let_go(void) {
  while (!let_go)
    sched_yield();
  ++ran;
}

static void depend_wait_runs_what_it_waits_for(void) {
#pragma omp task
  until_let_go();
#pragma omp task depend(out : item)
  ++item;
#pragma omp taskwait depend(in : item)
}

static void undeferred_task_runs_its_predecessor(void) {
#pragma omp task
  until_let_go();
#pragma omp task depend(out : item)
  ++item;
#pragma omp task if (0) depend(in : item)
  ++item;
}

static void undeferred_task_runs_whom_it_excludes(void) {
#pragma omp task
  until_let_go();
#pragma omp task depend(mutexinoutset : item)
  ++item;
#pragma omp task if (0) depend(mutexinoutset : item)
  ++item;
}

static void depend_wait_leaves_successors(void) {
#pragma omp task depend(out : item)
  ++item;
#pragma omp task depend(in : item)
  until_let_go();
#pragma omp taskwait depend(in : item)
}

static void group_runs_what_holds_it_up(void) {
#pragma omp task
  until_let_go();
#pragma omp task depend(out : item)
  ++item;
#pragma omp taskgroup
  {
#pragma omp task depend(in : item)
    ++other;
  }
}

static void group_leaves_what_became_ready(void) {
#pragma omp task depend(in : other)
  until_let_go();
#pragma omp taskgroup
  {
#pragma omp task
    {
#pragma omp task
      ++item;
    }
  }
}

#ifndef __clang__ // whose creator does not wait
static _Atomic(omp_event_handle_t) handle;
static void* fulfill(void* nothing) {
  while (!handle)
    sched_yield();
  usleep(5000);
  omp_fulfill_event(handle);
  handle = 0;
  return nothing;
}

static void wait_for_an_event_runs_nothing(void) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, fulfill, NULL) == 0);
#pragma omp task
  until_let_go();
  omp_event_handle_t event;
#pragma omp task if (0) detach(event)
  handle = event;
  CHECK(pthread_join(thread, NULL) == 0);
}
#endif

static void waits(void) {
#pragma omp task depend(out : other)
  ++other;
#pragma omp taskwait depend(in : other)
  ++ran;
}

// Both are ready when their parent has ended: nothing leads to the second but the list that it is
// in while the first one waits.
static void ends_before_its_children(void) {
#pragma omp task depend(out : other)
  {
#pragma omp task depend(out : item)
    ++item;
#pragma omp task depend(in : item)
    waits();
#pragma omp task depend(in : item)
    waits();
  }
}

static void (*const shapes[])(void) = {
    depend_wait_runs_what_it_waits_for,    undeferred_task_runs_its_predecessor,
    undeferred_task_runs_whom_it_excludes, depend_wait_leaves_successors,
    group_runs_what_holds_it_up,           group_leaves_what_became_ready,
#ifndef __clang__
    wait_for_an_event_runs_nothing,
#endif
};

int main(void) {
  const int count = sizeof shapes / sizeof *shapes;
  for (int i = 0; i < 20 * count; i++) {
    int before = ran;
    let_go = 0;
#pragma omp parallel
#pragma omp single
    {
      shapes[i % count]();
      let_go = 1;
    }
    CHECK(ran == before + 1);
  }
  int before = ran;
#pragma omp parallel num_threads(1)
  ends_before_its_children();
  CHECK(ran == before + 2);
  return 0;
}
