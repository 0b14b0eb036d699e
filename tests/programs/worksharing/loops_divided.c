// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dynamic loops of clang's programs, which say that they are nonmonotonic: after many chunks that
// took less time than to hand them out each thread has a range of them, from which the others
// steal. Each iteration is executed once all the same, a thread that is held up holds nothing up
// but its chunk, iterations may wait for any earlier one, and a cancelled loop hands out no more.
// xomp-test: threads=1,2,3,8,24 schedulers=auto,slb timeout=120 compilers=gcc,clang
// xomp-test: env=OMP_CANCELLATION=true
#include <omp.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

enum { kTrips = 200000 };
static unsigned char times[kTrips];

static void expect_once(int trips) {
  for (int i = 0; i < trips; ++i)
    CHECK(times[i] == 1);
  memset(times, 0, sizeof times);
}

static void each_once(int trips, int chunk) {
#pragma omp parallel for schedule(nonmonotonic : dynamic, chunk)
  for (int i = 0; i < trips; ++i)
    times[i]++;
  expect_once(trips);
}

// Members are in several loops at a time.
static void without_barriers(void) {
#pragma omp parallel
  for (int part = 0; part < 8; ++part) {
    int from = kTrips / 8 * part;
#pragma omp for schedule(nonmonotonic : dynamic) nowait
    for (long i = from; i < from + kTrips / 8; ++i)
      times[i]++;
  }
  expect_once(kTrips);
}

static void downwards(void) {
#pragma omp parallel for schedule(nonmonotonic : dynamic, 3)
  for (unsigned long long i = kTrips; i > 0; i -= 2)
    times[i - 1]++, times[i - 2]++;
  expect_once(kTrips);
}

// One iteration waits until all others are over: nobody has any of them to itself.
static void one_is_held_up(int which) {
  atomic_int done = 0;
#pragma omp parallel
  {
    int members = omp_get_num_threads();
#pragma omp for schedule(nonmonotonic : dynamic)
    for (int i = 0; i < kTrips; ++i) {
      times[i]++;
      while (i == which && members > 1 && atomic_load(&done) < kTrips - 1)
        sched_yield();
      atomic_fetch_add_explicit(&done, 1, memory_order_release);
    }
  }
  expect_once(kTrips);
}

// After many that take no time each waits for the one before.
static void in_a_row(void) {
  enum { kQuick = 100000, kRow = 2000 };
  atomic_int passed = 0;
#pragma omp parallel for schedule(nonmonotonic : dynamic)
  for (int i = 0; i < kQuick + kRow; ++i) {
    times[i]++;
    if (i < kQuick)
      continue;
    for (int tries = 0; atomic_load(&passed) < i - kQuick; ++tries)
      if (tries > 100)
        sched_yield();
    atomic_store(&passed, i - kQuick + 1);
  }
  expect_once(kQuick + kRow);
}

// The last iteration's values are kept whatever its thread executes after it.
static void last_ones(void) {
  int last = -1, linear = 0;
#pragma omp parallel for schedule(nonmonotonic : dynamic) lastprivate(last) linear(linear : 2)
  for (int i = 0; i < kTrips; ++i) {
    last = i;
    linear += 2;
  }
  CHECK(last == kTrips - 1 && linear == 2 * kTrips);
}

static void cancelled(void) {
  atomic_int executed = 0;
#pragma omp parallel
  {
#pragma omp for schedule(nonmonotonic : dynamic)
    for (int i = 0; i < kTrips; ++i) {
      atomic_fetch_add_explicit(&executed, 1, memory_order_relaxed);
      if (i == kTrips / 2) {
#pragma omp cancel for
      }
    }
  }
  CHECK(atomic_load(&executed) <= kTrips);
}

int main(void) {
  alarm(100); // what hangs says so
  for (int round = 0; round < repeats(4); ++round) {
    each_once(kTrips, 1);
    each_once(kTrips - 3, 7);
    each_once(2049, 1);
    without_barriers();
    downwards();
    one_is_held_up(0);
    one_is_held_up(kTrips / 2);
    one_is_held_up(kTrips - 1);
    in_a_row();
    for (int i = 0; i < 10; ++i)
      last_ones();
    cancelled();
  }
  each_once(kTrips, 1); // in a slot that a cancelled loop has left
  return 0;
}
