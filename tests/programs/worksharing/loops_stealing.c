// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nonmonotonic dynamic and guided loops: every iteration is executed exactly once, whatever the
// type, direction, step and chunk; members that come late or have the long iterations lose theirs
// to others; also where iterations wait for each other. Monotonic loops hand chunks out in order.
// xomp-test: threads=1,2,4,8 timeout=60 compilers=gcc,clang
#include <limits.h>
#include <omp.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

enum { kSize = 5000 };
static int hits[kSize];

static void touch(long long i) {
  CHECK(i >= 0 && i < kSize);
#pragma omp atomic
  hits[i]++;
}

static void expect_all(int count) {
  for (int i = 0; i < kSize; ++i)
    CHECK(hits[i] == (i < count));
  memset(hits, 0, sizeof hits);
}

#define OMP(directive) _Pragma(#directive)
#define SHAPES(name, ...)                                                                          \
  static void name(void) {                                                                         \
    int last = -1;                                                                                 \
    OMP(omp parallel) {                                                                            \
      OMP(omp for schedule(__VA_ARGS__))                                                           \
      for (int i = 0; i < kSize; ++i)                                                              \
        touch(i);                                                                                  \
      OMP(omp single) expect_all(kSize);                                                           \
      OMP(omp for schedule(__VA_ARGS__))                                                           \
      for (long i = 3 * kSize - 1; i > -1; i -= 3)                                                 \
        touch((i - 2) / 3);                                                                        \
      OMP(omp single) expect_all(kSize);                                                           \
      OMP(omp for schedule(__VA_ARGS__))                                                           \
      for (unsigned long long i = 7; i < 7 + 7 * 4900; i += 7)                                     \
        touch((i - 7) / 7);                                                                        \
      OMP(omp single) expect_all(4900);                                                            \
      OMP(omp for schedule(__VA_ARGS__))                                                           \
      for (long i = LONG_MAX - 4000; i < LONG_MAX; ++i)                                            \
        touch(i - (LONG_MAX - 4000));                                                              \
      OMP(omp single) expect_all(4000);                                                            \
      OMP(omp for schedule(__VA_ARGS__))                                                           \
      for (unsigned long long i = ULLONG_MAX; i > 1ull << 52; i -= 1ull << 52)                     \
        touch((ULLONG_MAX - i) >> 52);                                                             \
      OMP(omp single) expect_all(4095);                                                            \
      OMP(omp for schedule(__VA_ARGS__))                                                           \
      for (int i = 3; i < 3; ++i)                                                                  \
        touch(i);                                                                                  \
    }                                                                                              \
    OMP(omp parallel for schedule(__VA_ARGS__) lastprivate(last))                                  \
    for (int i = 0; i < kSize; ++i) {                                                              \
      touch(i);                                                                                    \
      last = i;                                                                                    \
    }                                                                                              \
    expect_all(kSize);                                                                             \
    CHECK(last == kSize - 1);                                                                      \
  }
SHAPES(dynamic, dynamic)
SHAPES(dynamic_chunks, nonmonotonic : dynamic, 7)
SHAPES(guided, guided)
SHAPES(guided_chunks, nonmonotonic : guided, 13)
SHAPES(at_run_time, nonmonotonic : runtime)

// The chunks of one member meet only if other members take them: each waits for all.
static void meeting(int chunk) {
  atomic_int inside = 0;
#pragma omp parallel
  {
    int members = omp_get_num_threads();
#pragma omp for schedule(nonmonotonic : dynamic, chunk)
    for (int i = 0; i < 64 * members * chunk; ++i) {
      if (i < members * chunk && i % chunk == 0) {
        atomic_fetch_add(&inside, 1);
        while (atomic_load(&inside) < members)
          usleep(20);
      }
    }
  }
  CHECK(atomic_load(&inside) == omp_get_max_threads());
}

// One member does not come to the loop before all of it is done.
static void late(void) {
  atomic_int done = 0;
#pragma omp parallel num_threads(omp_get_max_threads() + 1)
  {
    if (omp_get_thread_num() == 0)
      while (atomic_load(&done) < 1000)
        usleep(20);
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < 1000; ++i)
      atomic_fetch_add(&done, 1);
  }
  CHECK(atomic_load(&done) == 1000);
}

// Sleeping iterations in the part of one member: no other member ends the loop without some.
static void uneven(void) {
  int most = omp_get_max_threads(), slept[64] = {0};
#pragma omp parallel num_threads(most)
  {
#pragma omp barrier
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 64 * most; ++i)
      if (i < 64) {
        usleep(500);
        slept[omp_get_thread_num()]++;
      }
  }
  int sum = 0;
  for (int i = 0; i < most; ++i)
    sum += slept[i];
  CHECK(sum == 64);
  CHECK(most == 1 || slept[0] < 64);
}

static void many(void) {
  long sum = 0;
#pragma omp parallel reduction(+ : sum)
  for (int round = 0; round < 300; ++round) {
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < 37; ++i)
      sum++;
#pragma omp for schedule(guided) nowait
    for (int i = 0; i < 100 + round; ++i)
      sum++;
  }
  CHECK(sum == 300 * 37 + 300 * 100 + 299 * 150);
}

// What a member gets has increasing numbers.
static void monotonic(void) {
#pragma omp parallel
  {
    int before = -1;
#pragma omp for schedule(monotonic : dynamic)
    for (int i = 0; i < kSize; ++i) {
      CHECK(i > before);
      before = i;
      touch(i);
    }
    before = -1;
#pragma omp for schedule(monotonic : guided, 2)
    for (int i = 0; i < kSize; ++i) {
      CHECK(i > before);
      before = i;
      touch(i);
    }
    before = -1;
    int next = 0;
#pragma omp for schedule(dynamic) ordered
    for (int i = 0; i < kSize; ++i) {
      CHECK(i > before);
      before = i;
#pragma omp ordered
      next = i;
    }
    (void)next;
  }
  for (int i = 0; i < kSize; ++i)
    CHECK(hits[i] == 2);
  memset(hits, 0, sizeof hits);
}

int main(void) {
  dynamic();
  dynamic_chunks();
  guided();
  guided_chunks();
  omp_set_schedule(omp_sched_dynamic, 3);
  at_run_time();
  omp_set_schedule(omp_sched_guided, 0);
  at_run_time();
  omp_set_schedule(omp_sched_monotonic | omp_sched_dynamic, 2);
  at_run_time();
  for (int round = 0; round < 20; ++round) {
    meeting(1 + round % 3);
    late();
  }
  uneven();
  many();
  monotonic();
  return 0;
}
