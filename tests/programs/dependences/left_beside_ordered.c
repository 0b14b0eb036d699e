// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks with dependences in a team of one thread lie on its stack, beside what others have left
// there, until their dependences have to be known. Naive version: all that lies there is moved with
// them and becomes their creator's, which waits for it while it holds the lock that it needs. With
// the central barrier, and where somebody listens, all tasks are the heap's: there a team of one
// runs what is left at its creator's end.
// xomp-test: threads=1 timeout=30 compilers=gcc,clang barriers=tree recorded=0 told=0
#include <omp.h>

#include "check.h"

static char x;

/// What a task has left behind stays what it is, whatever its parent asks of its dependences: no
/// taskwait of the parent's waits for it.
static void left_behind(int how) {
  omp_lock_t lock;
  omp_init_lock(&lock);
  int entered = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task if (0) shared(lock, entered)
    {
#pragma omp task shared(lock, entered)
      {
        omp_set_lock(&lock);
        entered++;
        omp_unset_lock(&lock);
      }
    }
#pragma omp task depend(out : x)
    {
    }
    if (how == 0) {
#pragma omp taskwait depend(in : x)
    } else if (how == 1) {
#pragma omp task depend(in : x) if (0)
      {
      }
    } else if (how == 2) {
#pragma omp taskyield
    }
    omp_set_lock(&lock);
#pragma omp task
    {
    }
#pragma omp taskwait
    omp_unset_lock(&lock);
  }
  CHECK(entered == 1);
  omp_destroy_lock(&lock);
}

/// A task with a child that has dependences leaves its other children as ever.
static void left_beside_another(void) {
  omp_lock_t lock;
  omp_init_lock(&lock);
  int entered = 0;
#pragma omp parallel
#pragma omp single
  {
    omp_set_lock(&lock);
#pragma omp task shared(lock, entered)
    {
#pragma omp task shared(lock, entered)
      {
        omp_set_lock(&lock);
        entered++;
        omp_unset_lock(&lock);
      }
#pragma omp task depend(out : x)
      {
      }
    }
#pragma omp taskwait
    omp_unset_lock(&lock);
  }
  CHECK(entered == 1);
  omp_destroy_lock(&lock);
}

int main(void) {
  for (int how = 0; how < 3; how++)
    left_behind(how);
  left_beside_another();
  return 0;
}
