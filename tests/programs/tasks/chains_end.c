// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chains of tasks, each of which creates the next and ends while that one runs. What is kept of
// such a task names its creator's, so of a dead chain each look frees one. Naive version: a look
// counts those that are left, and comes the later, the more there are.
// xomp-test: threads=2 timeout=60 skip=asan,tsan told=0 compilers=gcc,clang
#include <malloc.h>
#include <sched.h>
#include <stdatomic.h>

#include "check.h"

enum { kTasks = 40000, kInChain = 100 };

static atomic_long made, bodies;
static char x;
static size_t half_way, at_last;

static void step(long number) {
  if (number % kInChain == 1) { // those before it have ended
    while (bodies < number - 1)
      sched_yield();
  }
  if (number == kTasks / 4)
    half_way = mallinfo2().uordblks;
  if (number == kTasks)
    at_last = mallinfo2().uordblks;
  if (number < kTasks) {
#pragma omp task firstprivate(number) depend(inout : x)
    step(number + 1);
  }
  for (long seen = made; seen < number && !atomic_compare_exchange_weak(&made, &seen, number);) {
  }
  while (number % kInChain != 0 && made < number + 1)
    sched_yield();
  bodies++;
}

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    step(1);
  }
  CHECK(bodies == kTasks);
  CHECK(at_last < half_way + (1u << 20));
  return 0;
}
