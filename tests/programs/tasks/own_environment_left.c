// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A task that has an environment of its own, by a taskgroup, a taskloop or an ICV that it sets,
// ends without waiting for a child. Naive version for a team of one: the child is taken off the
// stack after everything was run that nobody else finds, and the region never ends.
// xomp-test: threads=1,2,4 timeout=20 compilers=gcc,clang
#include <omp.h>
#include <stdatomic.h>

#include "check.h"

static atomic_int ran;

static void after_a_taskgroup(void) {
#pragma omp taskgroup
  {
#pragma omp task
    ++ran;
  }
#pragma omp task
  ++ran;
}

static void after_a_taskloop(void) {
#pragma omp taskloop
  for (int i = 0; i < 4; ++i)
    ++ran;
#pragma omp task
  ++ran;
}

static void after_an_icv(void) {
  omp_set_num_threads(3);
#pragma omp task
  {
    ++ran;
#pragma omp task // a grandchild, left by one that was left
    ++ran;
  }
}

static void create_all(void) {
#pragma omp task
  after_a_taskgroup();
#pragma omp task
  after_a_taskloop();
#pragma omp task
  after_an_icv();
}

int main(void) {
  enum { kEach = 2 + 5 + 2 };
#pragma omp parallel
#pragma omp single
  create_all();
  CHECK(ran == kEach);
#pragma omp parallel if (0)
#pragma omp taskgroup
  create_all();
  CHECK(ran == 2 * kEach);
#pragma omp parallel
#pragma omp single
  {
#pragma omp parallel num_threads(1)
    create_all();
  }
  CHECK(ran == 3 * kEach);
  return 0;
}
