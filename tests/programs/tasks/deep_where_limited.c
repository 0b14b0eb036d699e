// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks with dependences nested a thousand deep in a process whose addresses are limited. Naive
// version: a task for which there is no frame left counts its children as those of its parent,
// among which it is itself, and waits for itself.
// xomp-test: threads=1,2 timeout=60 skip=asan,tsan compilers=gcc,clang
#include <omp.h>
#include <sys/resource.h>

#include "check.h"
#include "nest.h"

enum { kDeep = 1500 };

static atomic_int ran;

int main(void) {
  struct rlimit limit = {(rlim_t)2 << 30, (rlim_t)2 << 30};
  CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
#pragma omp parallel
#pragma omp single
  nest(kDeep, &ran);
  CHECK(ran == kDeep + 1);
  return 0;
}
