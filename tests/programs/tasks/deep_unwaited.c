// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A deep recursion of tasks that cannot wait on the stack (dependences; large arguments), none of
// which waits for its child, while as many wait as may: on a deep stack one more is left for later.
// Naive version: only its parent's worker knows of it, and the parent has ended.
// xomp-test: threads=2 timeout=60 env=OMP_STACKSIZE=16M skip=asan,tsan compilers=gcc,clang
#include <omp.h>
#include <stdatomic.h>

#include "check.h"
#include "polling.h"

enum { kDeep = 3000, kFill = 600 };

typedef struct {
  char bytes[3000];
} Big;

static atomic_int ran, busy, go;
static char cells[kFill];

static void with_dependence(int left) {
  volatile char frame[3000];
  frame[0] = (char)left;
  ++ran;
  char cell;
  (void)cell;
  if (left > 0) {
#pragma omp task firstprivate(left) depend(out : cell)
    with_dependence(left - 1);
  }
  frame[1] = frame[0];
}

static void with_large_arguments(int left) {
  Big block;
  block.bytes[0] = 0;
  ++ran;
  if (left > 0) {
#pragma omp task firstprivate(left, block)
    with_large_arguments(left - 1 + block.bytes[0]);
  }
}

static void fill(void) {
  Big block;
  block.bytes[0] = 0;
  for (int i = 0; i < kFill; ++i) {
#pragma omp task depend(out : cells[i]) firstprivate(block)
    CHECK(block.bytes[0] == 0);
  }
}

static void run(void (*recursion)(int)) {
  ran = busy = go = 0;
#pragma omp parallel
  if (omp_get_thread_num() != 0) {
    busy = 1;
    poll_until(&go, 1);
  } else {
    poll_until(&busy, 1);
    fill();
    recursion(kDeep);
    go = 1;
  }
  CHECK(ran == kDeep + 1);
}

int main(void) {
  run(with_dependence);
  run(with_large_arguments);
  return 0;
}
