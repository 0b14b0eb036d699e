// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A recursion of undeferred tasks, each with some children that other threads take: where these lay
// is free only when the task ends. At the bottom tasks with dependences wait for each other. Naive
// version: nothing is left there for frames, and a task without one waits for itself.
// xomp-test: threads=2,3 timeout=60 skip=asan,tsan compilers=gcc,clang
#include <omp.h>
#include <sched.h>
#include <stdatomic.h>

#include "check.h"
#include "nest.h"

enum { kChildren = 240, kDeep = 400, kAtBottom = 5 };

static atomic_int ran, at_bottom;

static void descend(int left) {
  if (left == 0) {
    nest(kAtBottom, &at_bottom);
    return;
  }
  int before = ran;
  for (int i = 0; i < kChildren; ++i) {
#pragma omp task
    ++ran;
  }
  for (int i = 0; ran < before + kChildren && i < 2000; ++i)
    sched_yield(); // others come for them
#pragma omp task if (0) firstprivate(left)
  descend(left - 1);
}

int main(void) {
#pragma omp parallel
#pragma omp single
  descend(kDeep);
  CHECK(ran == kDeep * kChildren && at_bottom == kAtBottom + 1);
  return 0;
}
