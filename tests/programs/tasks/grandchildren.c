// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A taskwait waits for children: what these have left may wait for what comes next, and is run by
// somebody else, or later. Naive version: a taskwait runs all that lies above its frame, or what
// was left becomes children as soon as it has to leave the stack.
// xomp-test: threads=2,3,4 timeout=60 env=OMP_WAIT_POLICY=passive compilers=gcc,clang
#include <omp.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#include "check.h"

static atomic_int let_go, ran, children;
static char item;
static omp_lock_t lock;

// Others that are in it come neither for what is left, nor for a child.
static void until_it_is_over(void) {
  while (!let_go)
    sched_yield();
}

static void until_let_go(void) {
  until_it_is_over();
  ++ran;
}

static void leaves_one(void) {
#pragma omp task
  until_let_go();
  ++children;
}

static void child_leaves_one(void) {
#pragma omp task
  leaves_one();
#pragma omp taskwait
  CHECK(children == 1);
}

static void undeferred_child_leaves_one(void) {
#pragma omp task if (0)
  leaves_one();
#pragma omp taskwait
  CHECK(children == 1);
}

static void many_leave_some(void) {
  for (int i = 0; i < 20; i++) {
#pragma omp task if (i % 3)
    {
      if (i == 9)
        leaves_one();
      else
        ++children;
    }
  }
#pragma omp taskwait
  CHECK(children == 20);
}

static void child_below_what_was_left(void) {
#pragma omp task
  ++children;
#pragma omp task if (0)
  leaves_one();
#pragma omp taskwait
  CHECK(children == 2);
}

static void left_before_a_group(void) {
#pragma omp task if (0)
  leaves_one();
#pragma omp taskgroup
  {
#pragma omp task
    ++children;
  }
#pragma omp task
  ++children;
#pragma omp taskwait
  CHECK(children == 3);
}

static void left_before_an_icv(void) {
#pragma omp task if (0)
  leaves_one();
  omp_set_dynamic(0);
#pragma omp task
  ++children;
#pragma omp taskwait
  CHECK(children == 2);
}

static void left_before_a_dependence(void) {
#pragma omp task if (0)
  leaves_one();
#pragma omp task depend(out : item)
  ++children;
#pragma omp taskwait
  CHECK(children == 2);
}

static void left_one_wants_a_lock(void) {
#pragma omp task if (0)
  {
#pragma omp task
    {
      omp_set_lock(&lock);
      ++ran;
      omp_unset_lock(&lock);
    }
  }
  omp_set_lock(&lock);
  for (int i = 0; i < 3; i++) {
#pragma omp task
    ++children;
#pragma omp taskwait
    CHECK(children == i + 1);
  }
  omp_unset_lock(&lock);
}

// Who takes a child and what was left together tells of the child first.
static void taken_by_another(void) {
#pragma omp task
  ++children;
#pragma omp task if (0)
  leaves_one();
  while (children < 2)
    sched_yield();
  usleep(1000);
#pragma omp taskwait
}

static void (*const shapes[])(void) = {
    child_leaves_one,          undeferred_child_leaves_one, many_leave_some,
    child_below_what_was_left, left_before_a_group,         left_before_an_icv,
    left_before_a_dependence,  left_one_wants_a_lock,
};

int main(int argc, char** argv) {
  const int count = sizeof shapes / sizeof *shapes;
  omp_init_lock(&lock);
  for (int i = 0; i < 20 * count; i++) {
    if (argc > 1 && i % count != atoi(argv[1])) // one of them
      continue;
    let_go = ran = children = 0;
#pragma omp parallel
    {
      if (omp_get_thread_num() > 0) {
        until_it_is_over();
      } else {
        shapes[i % count]();
        let_go = 1;
      }
    }
    CHECK(ran == 1);
  }
  for (int i = 0; i < 10; i++) {
    let_go = ran = children = 0;
#pragma omp parallel
#pragma omp masked
    {
      taken_by_another();
      let_go = 1;
    }
    CHECK(ran == 1);
  }
  omp_destroy_lock(&lock);
  return 0;
}
