// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A task created when most of the stack is in use, and that waits for its creator, is begun by a
// thread that has nothing to do. Naive version: tasks are left to the end of their parent when the
// stack is deep, whoever could have them.
// xomp-test: threads=2,4 timeout=30 skip=asan,tsan compilers=gcc,clang
#include <omp.h>
#include <sys/resource.h>

#include "check.h"
#include "polling.h"

static atomic_int begun, open;

static void at_the_bottom(void) {
  usleep(2000); // somebody has nothing to do by now
#pragma omp task
  {
    atomic_store(&begun, 1);
    poll_until(&open, 1);
  }
  poll_until(&begun, 1);
  atomic_store(&open, 1);
}

static int use_stack(int kilobytes) {
  volatile char frame[4096];
  frame[0] = (char)kilobytes;
  if (kilobytes <= 0)
    at_the_bottom();
  else
    use_stack(kilobytes - 4);
  return frame[0];
}

int main(void) {
  struct rlimit limit;
  CHECK(getrlimit(RLIMIT_STACK, &limit) == 0);
  int megabytes = limit.rlim_cur < (64 << 20) ? (int)(limit.rlim_cur >> 20) : 64;
  if (megabytes < 4)
    return 77;
#pragma omp parallel
#pragma omp masked
  use_stack(megabytes * 1024 / 4 * 3);
  CHECK(atomic_load(&begun) == 1);
  return 0;
}
