// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Teams that grow region by region, with tasks, on threads with small stacks: what a worker's tasks
// lie on is made anew for a larger team. Naive version: by the worker itself at its region's begin,
// when a thief that has begun already may be looking at it.
// xomp-test: threads=2 timeout=120 env=OMP_STACKSIZE=64K skip=asan,tsan compilers=gcc
#include <omp.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { kProcesses = 10, kMost = 64 };

static void grow(void) {
  atomic_int ran = 0;
  int expected = 0;
  for (int threads = 2; threads <= kMost; threads += 2) {
    expected += threads;
#pragma omp parallel num_threads(threads)
    {
#pragma omp task
      ++ran;
    }
  }
  CHECK(ran == expected);
}

int main(void) {
  omp_set_dynamic(0);
  for (int i = 0; i < repeats(kProcesses); ++i) {
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      grow();
      _exit(0);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
  }
  return 0;
}
