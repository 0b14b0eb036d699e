// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A barrier, and the end of a region, comes only when no task is left, those included that
// descendants create late, on threads that were idle already. Naive version: the paper's tree
// barrier, whose root releases when every worker has been idle once; a gathered worker that takes a
// task out of its queue creates others after that.
// xomp-test: schedulers=xqueue-ws,q,l,cq,ws,mts threads=1,2,4,8 timeout=60 compilers=gcc,clang
#include <sched.h>
#include <unistd.h>

#include "check.h"

static long done; // atomic

static void pause_now_and_then(unsigned n) {
  if (n % 61 == 0)
    sched_yield();
  if (n % 997 == 13)
    usleep(50);
}

// A chain: each task creates the next one and ends. The only task in the team hops from queue to
// queue.
static void chain(int left) {
  pause_now_and_then((unsigned)left);
#pragma omp atomic
  done++;
  if (left > 1) {
#pragma omp task
    chain(left - 1);
  }
}

// A tree without any taskwait.
static void tree(int depth) {
  pause_now_and_then((unsigned)depth * 31);
#pragma omp atomic
  done++;
  if (depth == 0)
    return;
#pragma omp task
  tree(depth - 1);
#pragma omp task
  tree(depth - 1);
}

static void expect(long count) {
  long now;
#pragma omp atomic read
  now = done;
  CHECK(now == count);
}

int main(void) {
  for (int round = 0; round < repeats(100); round++) {
    done = 0;
#pragma omp parallel
    {
#pragma omp single nowait
      {
#pragma omp task
        chain(100);
      }
#pragma omp barrier
      expect(100);
#pragma omp barrier
#pragma omp masked
      tree(6);
#pragma omp barrier
      expect(100 + 127);
#pragma omp barrier // an empty one
      expect(100 + 127);
#pragma omp barrier
#pragma omp single nowait
      chain(50 + round % 7);
      // The region ends with the tasks that the last task creates.
    }
    expect(100 + 127 + 50 + round % 7);
  }
  // The tasks of an implicit barrier: single, for.
  done = 0;
#pragma omp parallel
  {
#pragma omp single
    tree(8);
    expect(511);
#pragma omp barrier
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 20; i++)
      chain(20);
    expect(511 + 400);
  }
  return 0;
}
