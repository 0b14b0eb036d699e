// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// As lock_after_left_behind.c, but the children that leave others behind are ordinary tasks, of
// which their creator keeps nothing: it finds out all the same that its queue is full of what they
// left.
// xomp-test: threads=2,3,4,8 barriers=tree,central timeout=60 compilers=gcc,clang
#include <omp.h>
#include <sched.h>
#include <stdatomic.h>

#include "check.h"

static char item;
static long entered;
static atomic_int over;
static omp_lock_t lock;

static void leave_behind(int children) {
  for (int i = 0; i < children; i++) {
#pragma omp task
    {
      char own = 0;
      (void)own;
#pragma omp task depend(inout : own)
      {
      }
    }
  }
#pragma omp taskwait
}

static void create_under_lock(void) {
  omp_set_lock(&lock);
#pragma omp task depend(inout : item)
  {
    omp_set_lock(&lock);
    entered++;
    omp_unset_lock(&lock);
  }
  omp_unset_lock(&lock);
}

// The others come for nothing meanwhile.
static void leave_and_create(int children, int within_child) {
  over = 0;
#pragma omp parallel
  {
    if (omp_get_thread_num() == 0) {
      if (within_child) {
#pragma omp task
        leave_behind(children);
#pragma omp taskwait
      } else {
        leave_behind(children);
      }
      create_under_lock();
      over = 1;
    }
    while (!over)
      sched_yield();
  }
}

int main(void) {
  omp_init_lock(&lock);
  int rounds = repeats(100);
  for (int round = 0; round < rounds; round++)
    leave_and_create(2000, round >= rounds / 2);
  CHECK(entered == rounds);
  omp_destroy_lock(&lock);
  return 0;
}
