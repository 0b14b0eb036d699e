// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A task that creates nothing itself, but runs undeferred tasks one after the other. Each of these
// leaves a child behind, which another thread begins while the next one runs. Naive version: where
// the children lay stays a hole until the outer task ends; then the stack is full of holes, and a
// child runs in its creator's place.
// xomp-test: threads=2 timeout=60 env=OMP_STACKSIZE=64K skip=asan,tsan compilers=gcc,clang
#include <omp.h>
#include <sched.h>
#include <stdatomic.h>

#include "check.h"

// A stack of 64 KB has room for 1024 tasks and holes.
enum { kTasks = 4000 };

static atomic_int begun, ended;

static void wait_for(const atomic_int* counter, int at_least) {
  while (*counter < at_least) // briefly: tasks that take long go another way
    sched_yield();
}

static void leaves_child(int number) {
  int creator = omp_get_thread_num();
#pragma omp task firstprivate(creator)
  {
    CHECK(omp_get_thread_num() != creator);
    wait_for(&ended, ++begun + 1); // the next child is left behind before it can be begun
  }
  wait_for(&begun, number - 1);
}

static void outer(void) {
  for (int i = 1; i <= kTasks; ++i) {
#pragma omp task if (0) firstprivate(i)
    leaves_child(i);
    ended = i;
  }
  ended = kTasks + 1;
  wait_for(&begun, kTasks);
}

int main(void) {
  // On a thread of the runtime's, whose stack is as small as said.
#pragma omp parallel
  if (omp_get_thread_num() == 1)
    outer();
  CHECK(begun == kTasks);
  return 0;
}
