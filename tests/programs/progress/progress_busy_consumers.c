// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whatever lies in queues of threads that do not look at them any more is run by the thread that
// waits for it: at a taskwait, at the end of a taskgroup whose tasks' parents have ended, at
// depend, and at the end of a task. Naive version: only the consumer of a queue takes from it.
// xomp-test: threads=2,4,8 timeout=30 compilers=gcc,clang
#include <omp.h>

#include "check.h"
#include "polling.h"

enum { kTasks = 40 };
static atomic_int blocked, open, done;

static void leave_children(int depth) {
  for (int i = 0; i < 4; ++i) {
#pragma omp task
    {
      atomic_fetch_add(&done, 1);
      if (depth > 0)
        leave_children(depth - 1);
    }
  }
}

static int tasks_below(int depth) { return depth < 0 ? 0 : 4 * (1 + tasks_below(depth - 1)); }

static void do_everything(void) {
  for (int i = 0; i < kTasks; ++i) {
#pragma omp task
    atomic_fetch_add(&done, 1);
  }
#pragma omp taskwait
  CHECK(atomic_exchange(&done, 0) == kTasks);
#pragma omp taskgroup
  leave_children(3);
  CHECK(atomic_exchange(&done, 0) == tasks_below(3));
  int order;
  (void)order; // it has an address only
  for (int i = 0; i < kTasks; ++i) {
#pragma omp task depend(inout : order)
    atomic_fetch_add(&done, 1);
  }
#pragma omp taskwait depend(in : order)
  CHECK(atomic_exchange(&done, 0) == kTasks);
#pragma omp taskloop grainsize(1)
  for (int i = 0; i < kTasks; ++i)
    atomic_fetch_add(&done, 1);
  CHECK(atomic_exchange(&done, 0) == kTasks);
}

int main(void) {
#pragma omp parallel
  {
    if (omp_get_thread_num() == 0) {
      poll_until(&blocked, omp_get_num_threads() - 1);
      do_everything();
      atomic_store(&open, 1);
    } else {
      atomic_fetch_add(&blocked, 1);
      poll_until(&open, 1);
    }
  }
  return 0;
}
