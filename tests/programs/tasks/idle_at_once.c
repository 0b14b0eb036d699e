// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop of tasks too small to be handed over, while all other threads are busy with something of
// their own. Then these have nothing to do any more, and the next tasks are long: the very first of
// them is offered to the others, not run inside of its construct. Naive version: a creator that
// nobody waited for when it last looked up has leave to run so many more tasks alone, however long
// they have become.
// xomp-test: threads=4 timeout=60 compilers=gcc,clang
#include <omp.h>
#include <stdatomic.h>
#include <unistd.h>

#include "check.h"

enum { kThreads = 4, kSmall = 20000, kLong = 24 };

static atomic_int creating, busy;
static int constructing; // thread 0's own: the task in whose construct it is, or beyond all
static int at_once[kLong];

static void produce(int count, int microseconds) {
  for (int i = 0; i < count; i++) {
    constructing = i;
#pragma omp task firstprivate(i)
    if (microseconds) {
      at_once[i] = omp_get_thread_num() == 0 && constructing == i;
      usleep(microseconds);
    }
    if (!microseconds) {
#pragma omp taskwait
    }
  }
  constructing = count;
#pragma omp taskwait
}

int main(void) {
  for (int round = 0; round < 8; round++) {
    creating = 1;
    busy = 0;
#pragma omp parallel num_threads(kThreads)
    if (omp_get_thread_num() == 0) {
      while (busy < kThreads - 1)
        usleep(100);
      produce(kSmall + round * 13, 0);
      creating = 0;
      usleep(20000); // the others come to the barrier, find nothing and go to sleep
      produce(kLong, 2000);
    } else {
      busy++;
      while (creating)
        usleep(100);
    }
    CHECK(!at_once[0]);
  }
}
