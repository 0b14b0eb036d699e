// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chains of tasks without an end: each creates the next, and ends only when that one runs, so that
// some task of the chain runs at any time. What is kept of those that have ended does not grow, nor
// the time that a task takes. Naive version: what is kept of each keeps what is kept of its
// creator.
// xomp-test: threads=2,4 timeout=60 told=0 compilers=gcc,clang
#include <malloc.h>
#include <omp.h>
#include <sched.h>
#include <stdatomic.h>

#include "check.h"

enum { kTasks = 20000 };

static atomic_long begun, bodies;
static char x;
static size_t half_way, at_last;

static void step(long number, int depends);

static void create_next(long number, int depends) {
  if (depends) {
#pragma omp task firstprivate(number, depends) depend(inout : x)
    step(number, depends);
  } else {
#pragma omp task firstprivate(number, depends)
    step(number, depends);
  }
}

static void step(long number, int depends) {
  begun = number;
  if (number == kTasks / 4)
    half_way = mallinfo2().uordblks;
  if (number == kTasks)
    at_last = mallinfo2().uordblks;
  if (number < kTasks)
    create_next(number + 1, depends);
  while (number < kTasks && begun <= number)
    sched_yield();
  bodies++;
}

int main(void) {
  for (int depends = 0; depends < 2; ++depends) {
    bodies = 0;
#pragma omp parallel
#pragma omp single
    create_next(1, depends);
    CHECK(bodies == kTasks);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    // Each thread may have 256 that are free and 128 that wait for a fence, of 200 bytes; without
    // an end to it there are 3 MB.
    CHECK(at_last < half_way + (size_t)omp_get_max_threads() * (128u << 10));
#endif
  }
  return 0;
}
