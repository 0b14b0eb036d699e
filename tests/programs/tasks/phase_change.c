// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop of tasks too small to be handed over, then one of long tasks at the same height of the
// stack, while one thread is busy with something of its own: the threads that sleep get their share
// of the long ones. Naive version: what was learnt from the small tasks stays, because those that
// sleep cannot tell and the busy thread does not.
// xomp-test: threads=4 timeout=60 compilers=gcc,clang
#include <omp.h>
#include <stdatomic.h>
#include <unistd.h>

#include "check.h"

enum { kThreads = 4, kSmall = 200000, kLong = 200 };

static atomic_int over;
static atomic_int long_tasks[kThreads];

static void produce(int count, int microseconds) {
  for (int i = 0; i < count; i++) {
#pragma omp task
    if (microseconds) {
      usleep(microseconds);
      long_tasks[omp_get_thread_num()]++;
    }
    if (!microseconds) {
#pragma omp taskwait
    }
  }
#pragma omp taskwait
}

static void change_phase(void) {
  over = 0;
  for (int i = 0; i < kThreads; i++)
    long_tasks[i] = 0;
#pragma omp parallel num_threads(kThreads)
  {
    if (omp_get_thread_num() == 1)
      while (!over)
        usleep(1000);
    if (omp_get_thread_num() == 0) {
      produce(kSmall, 0);
      usleep(20000); // the others have gone to sleep
      produce(kLong, 500);
      over = 1;
    }
  }
  int others = long_tasks[2] + long_tasks[3];
  CHECK(long_tasks[0] + long_tasks[1] + others == kLong);
  CHECK(others > 0);
}

int main(void) {
  for (int round = 0; round < repeats(3); round++)
    change_phase();
}
