// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A chain of tasks with large arguments, each creating the next, while as many bytes of them wait
// as may: each one is run at once as long as the stack lasts, and on a deep stack left for later.
// Naive version: what waits is bounded at the cost of the stack, and the chain overflows it.
// xomp-test: threads=1,2,4 timeout=60 skip=asan,tsan schedulers=slb,xqueue1,na-ws,q,l compilers=gcc,clang
#include "check.h"

enum { kLong = 1000, kFill = 3000 };

typedef struct {
  char bytes[100000];
} Big;

static long ran, filled; // atomic
static char cell;

static void count(long* counter) { __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED); }

static void chain(int left, Big block) {
  if (left == 0)
    return;
  block.bytes[left]++;
#pragma omp task firstprivate(left, block)
  {
    count(&ran);
    chain(left - 1, block);
  }
}

static void dependent_chain(int left, Big block) {
  if (left == 0)
    return;
  block.bytes[left]++;
#pragma omp task firstprivate(left, block) depend(in : cell)
  {
    count(&ran);
    dependent_chain(left - 1, block);
  }
}

static void run(void (*recursion)(int, Big)) {
  static Big block;
  ran = filled = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < kFill; ++i) {
#pragma omp task firstprivate(block)
      count(&filled);
    }
    recursion(kLong, block);
  }
  CHECK(ran == kLong && filled == kFill);
}

int main(void) {
  run(chain);
  run(dependent_chain);
  return 0;
}
