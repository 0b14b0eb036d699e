// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cancel parallel while other members are in ordered and doacross loops without a cancellation
// point: ordered regions that begin still exclude each other, and what is handed out in order stays
// in order.
// xomp-test: threads=1,2,4,8 env=OMP_CANCELLATION=true timeout=60 compilers=gcc,clang
#include <omp.h>
#include <stdatomic.h>
#include <unistd.h>

#include "check.h"

enum { kIterations = 40 };
static atomic_int inside, highest, done[kIterations], started;

static void region(int i) {
  CHECK(atomic_fetch_add(&inside, 1) == 0);
  usleep(100);
  CHECK(atomic_fetch_sub(&inside, 1) == 1);
  atomic_fetch_add(&started, 1);
  atomic_store(&highest, i);
}

static __attribute__((noinline)) void loop_static(void) {
#pragma omp for ordered schedule(static, 1) nowait
  for (int i = 0; i < kIterations; ++i) {
#pragma omp ordered
    region(i);
  }
}

static __attribute__((noinline)) void loop_dynamic(void) {
#pragma omp for ordered schedule(dynamic) nowait
  for (int i = 0; i < kIterations; ++i) {
#pragma omp ordered
    {
      CHECK(atomic_load(&highest) == i - 1);
      region(i);
    }
  }
}

static __attribute__((noinline)) void loop_doacross(void) {
#pragma omp for ordered(1) schedule(dynamic) nowait
  for (int i = 0; i < kIterations; ++i) {
#pragma omp ordered depend(sink : i - 1)
    CHECK(i == 0 || atomic_load(&done[i - 1]));
    region(i);
    atomic_store(&done[i], 1);
#pragma omp ordered depend(source)
  }
}

static void cancelled(void (*loop)(void)) {
  atomic_store(&highest, -1);
  atomic_store(&started, 0);
  for (int i = 0; i < kIterations; ++i)
    atomic_store(&done[i], 0);
#pragma omp parallel
  {
    if (omp_get_thread_num() == 0) {
      while (omp_get_num_threads() > 1 && loop != loop_static && atomic_load(&started) < 3)
        usleep(50);
      if (loop == loop_static)
        usleep(500);
#pragma omp cancel parallel
    }
    loop();
  }
  CHECK(atomic_load(&inside) == 0);
}

int main(void) {
  for (int round = 0; round < 5; ++round) {
    cancelled(loop_static);
    cancelled(loop_dynamic);
    cancelled(loop_doacross);
  }
  return 0;
}
