// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks that wait for what their creator does next: an idle thread has to begin them, whatever was
// created before. Naive versions: the task lies in the creator's own queue; or small tasks before
// it taught the creator to run everything at once, and it runs this one too, for ever; or others of
// its kind that began late looked small.
// xomp-test: threads=2,4,8 timeout=60 compilers=gcc,clang
#include <omp.h>
#include <stdatomic.h>
#include <unistd.h>

#include "check.h"

static atomic_int flag;
static atomic_long count;

static void poll(void) {
  while (!flag)
    usleep(100);
}

static void many_small(int tasks) {
  for (int i = 0; i < tasks; i++) {
#pragma omp task
    count++;
  }
}

static void one_poller(void) {
  flag = 0;
#pragma omp task
  poll();
  flag = 1;
#pragma omp taskwait
}

static void poller_with_dependence(void) {
  int x = 0;
  (void)x; // an address to depend on
  flag = 0;
#pragma omp task depend(out : x)
  poll();
  flag = 1;
#pragma omp taskwait
}

/// `late`: what it waits for has happened already, so that it is measured as a small one.
static void maybe_late_poller(int late) {
  flag = late;
#pragma omp task
  poll();
  flag = 1;
#pragma omp taskwait
}

static void poller_for_a_sibling(void) {
  flag = 0;
#pragma omp task
  poll();
#pragma omp task
  flag = 1;
#pragma omp taskwait
}

int main(void) {
  int threads = omp_get_max_threads();
#pragma omp parallel
#pragma omp single
  {
    one_poller(); // the first task of all
    poller_with_dependence();
    for (int i = 0; i < 20; i++) {
#pragma omp task
      count++;
    }
    one_poller();
    many_small(100000);
#pragma omp taskwait
    one_poller();
    for (int round = 0; round < 500; round++) {
      many_small(50);
#pragma omp taskwait
    }
    poller_for_a_sibling();
    many_small(1000);
#pragma omp taskwait
    // Fewer than any queue holds: with a full queue every runtime may run the poller at once.
    many_small(50);
    one_poller();
    for (int round = 0; round < 20; round++)
      maybe_late_poller(1);
    many_small(50);
    maybe_late_poller(0);
  }
  CHECK(count == 20 + 100000 + 500 * 50 + 1000 + 2 * 50);
  CHECK(threads > 1);
}
