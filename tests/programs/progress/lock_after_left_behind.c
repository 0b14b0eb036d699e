// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Children leave children of their own behind, many more than may wait, of which the taskwait need
// not wait. What their creator creates next is deferred all the same: it holds the lock that the
// new tasks want. On libomp there is room for all of them, on libgomp for the first.
// xomp-test: threads=2,3,8 barriers=tree,central timeout=60 compilers=gcc,clang
#include <omp.h>
#include <sched.h>
#include <stdatomic.h>

#include "check.h"

enum { kMost = 5000 };
static char items[kMost];
static int ran;
static long entered;
static atomic_int over;
static omp_lock_t lock;

static void count(void) {
#pragma omp atomic
  ran++;
}

static void leave_behind(int children) {
  for (int i = 0; i < children; i++) {
#pragma omp task
    {
      count();
#pragma omp task
      count();
    }
  }
#pragma omp taskwait
}

static void enter(void) {
  omp_set_lock(&lock);
  entered++;
  omp_unset_lock(&lock);
}

// Each child leaves one behind that is `left`.
static void leave_dependent_behind(int children, void (*left)(void)) {
  for (int i = 0; i < children; i++) {
#pragma omp task depend(inout : items[i])
    {
      count();
      char own = 0;
      (void)own;
#pragma omp task depend(inout : own)
      left();
    }
  }
#pragma omp taskwait
}

// Two of each kind: there is not only room for one.
static void create_under_lock(void) {
  omp_set_lock(&lock);
#pragma omp task
  enter();
#pragma omp task depend(inout : items[0])
  enter();
#pragma omp task depend(inout : items[1])
  enter();
#pragma omp task
  enter();
  omp_unset_lock(&lock);
#pragma omp taskwait
}

// The lock is held while the taskwait is under way, which runs none of those that are left behind,
// as long as they are not more than libgomp would let wait. Others come for nothing meanwhile: for
// a child that runs elsewhere the taskwait would help.
static void hold_while_waiting(int children) {
  omp_set_lock(&lock);
  leave_dependent_behind(children, enter);
  omp_unset_lock(&lock);
}

int main(void) {
  static const int sizes[] = {100, 200, 300, 600, kMost};
  omp_init_lock(&lock);
  for (int round = 0; round < repeats(20); round++) {
    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
      if (sizes[i] == kMost && round > 0)
        continue;
      for (int dependent = 0; dependent < 2; dependent++) {
        ran = 0;
        entered = 0;
#pragma omp parallel
#pragma omp single
        {
          if (dependent)
            leave_dependent_behind(sizes[i], count);
          else
            leave_behind(sizes[i]);
          create_under_lock();
        }
        CHECK(ran == 2 * sizes[i]);
        CHECK(entered == 4);
      }
    }
    ran = 0;
    entered = 0;
    over = 0;
#pragma omp parallel
    {
      if (omp_get_thread_num() == 0) {
        hold_while_waiting(100);
        over = 1;
      }
      while (!over)
        sched_yield();
    }
    CHECK(ran == 100);
    CHECK(entered == 100);
  }
  omp_destroy_lock(&lock);
  return 0;
}
