// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cancel parallel while other members, who have no cancellation point before them, pass more
// constructs with nowait than a member may be ahead: they come to the region's end. In some of the
// rounds they are asleep already when the cancellation comes.
// xomp-test: threads=1,2,4,8 env=OMP_CANCELLATION=true timeout=60 compilers=gcc,clang
#include <omp.h>
#include <stdatomic.h>
#include <unistd.h>

#include "check.h"

enum { kConstructs = 200 };
static atomic_int passed;

// Functions of their own: the compiler does not know that their region can be cancelled.
static __attribute__((noinline)) void dynamic_loops(void) {
  for (int round = 0; round < kConstructs; ++round) {
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < 4; ++i)
      ;
  }
}

static __attribute__((noinline)) void sections(void) {
  for (int round = 0; round < kConstructs; ++round) {
#pragma omp sections nowait
    {
#pragma omp section
      ;
#pragma omp section
      ;
    }
  }
}

static __attribute__((noinline)) void ordered_loops(void) {
  for (int round = 0; round < kConstructs; ++round) {
#pragma omp for ordered schedule(static, 1) nowait
    for (int i = 0; i < 16; ++i) {
#pragma omp ordered
      ;
    }
  }
}

static __attribute__((noinline)) void doacross_loops(void) {
  for (int round = 0; round < kConstructs; ++round) {
#pragma omp for ordered(1) schedule(dynamic) nowait
    for (int i = 0; i < 16; ++i) {
#pragma omp ordered depend(sink : i - 1)
#pragma omp ordered depend(source)
    }
  }
}

static __attribute__((noinline)) void conditional_loops(void) {
  static int last;
  for (int round = 0; round < kConstructs; ++round) {
#pragma omp for schedule(dynamic) lastprivate(conditional : last) nowait
    for (int i = 0; i < 16; ++i)
      if (i % 2)
        last = i;
  }
}

// With barriers that the compiler does not take for cancellation points: in a cancelled region they
// wait for no task, and what a reduction gives is not specified.
static __attribute__((noinline)) void reductions(void) {
  static int sum;
#ifdef __SANITIZE_THREAD__
  return; // it is read while tasks add to it
#endif
  for (int round = 0; round < kConstructs; ++round) {
#pragma omp for schedule(dynamic) reduction(task, + : sum)
    for (int i = 0; i < 4; ++i) {
#pragma omp task in_reduction(+ : sum)
      sum++;
    }
  }
}

static __attribute__((noinline)) void barriers(void) {
  for (int round = 0; round < kConstructs; ++round) {
#pragma omp barrier
#pragma omp for schedule(guided)
    for (int i = 0; i < 4; ++i)
      ;
  }
}

static __attribute__((noinline)) void singles(void) {
  for (int round = 0; round < kConstructs; ++round) {
    int value = -1;
#pragma omp single copyprivate(value)
    value = round;
#ifdef __clang__ // in a cancelled region it leaves the variables as they are (docs/abi.md)
    CHECK(value == round || value == -1);
#else
    CHECK(value == round);
#endif
#pragma omp single nowait
    value = 0;
  }
}

static void (*const kinds[])(void) = {dynamic_loops,     sections,   ordered_loops, doacross_loops,
                                      conditional_loops, reductions, barriers,      singles};
enum { kKinds = sizeof kinds / sizeof *kinds };

static void cancelled_by(int who, int late, void (*constructs)(void)) {
  atomic_store(&passed, 0);
#pragma omp parallel
  {
    if (omp_get_thread_num() == who % omp_get_num_threads()) {
      if (late)
        usleep(2000);
#pragma omp cancel parallel
    }
    constructs();
    atomic_fetch_add(&passed, 1);
  }
  CHECK(atomic_load(&passed) == omp_get_max_threads() - 1);
}

// The members have come to different constructs, and have barriers before them that are
// cancellation points.
static void cancelled_between(int who) {
#pragma omp parallel
  {
    int id = omp_get_thread_num();
    for (int round = 0; round < id * 10; ++round) {
#pragma omp for schedule(dynamic) nowait
      for (int i = 0; i < 4; ++i)
        ;
    }
    if (id == who % omp_get_num_threads()) {
#pragma omp cancel parallel
    }
    dynamic_loops();
    for (int round = 0; round < kConstructs; ++round) {
      dynamic_loops();
#pragma omp sections
      {
#pragma omp section
        ;
      }
    }
    CHECK(!"the end of a cancelled region's sections was passed");
  }
}

// What follows is whole.
static void whole(void) {
  int sum = 0;
#pragma omp parallel
  for (int round = 0; round < kConstructs; ++round) {
#pragma omp for schedule(dynamic) reduction(+ : sum)
    for (int i = 0; i < 10; ++i)
      sum += i;
  }
  CHECK(sum == 45 * kConstructs);
}

int main(void) {
  CHECK(omp_get_cancellation());
  for (int round = 0; round < 4; ++round) {
    for (int kind = 0; kind < kKinds; ++kind) {
      cancelled_by(round, round % 2, kinds[kind]);
      cancelled_by(round, round % 2, kinds[(kind + round) % kKinds]);
    }
    cancelled_between(round);
    whole();
  }
  return 0;
}
