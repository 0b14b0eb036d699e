// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks with dependences nested a thousand deep in a process whose addresses are limited. Naive
// version: a task for which there is no frame left counts its children as those of its parent,
// among which it is itself, and waits for itself.
// xomp-test: threads=1,2 timeout=60 skip=asan,tsan compilers=gcc,clang
#include <omp.h>
#include <sys/resource.h>

#include "check.h"

enum { kDeep = 1500 };

static int deepest;

static void nest(int depth) {
  char cell;
  (void)cell;
  deepest = depth;
  if (depth == kDeep)
    return;
#pragma omp task depend(out : cell)
  nest(depth + 1);
#pragma omp taskwait
}

int main(void) {
  struct rlimit limit = {(rlim_t)2 << 30, (rlim_t)2 << 30};
  CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
#pragma omp parallel
#pragma omp single
  nest(0);
  CHECK(deepest == kDeep);
  return 0;
}
