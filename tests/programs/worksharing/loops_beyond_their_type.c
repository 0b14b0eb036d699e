// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops whose last increment leaves the range of their type execute each iteration once, and end:
// up and down, for every type, schedule and chunk size. Naive version: chunks end where the loop
// does; the value after the last iteration has wrapped around, is on this side of that end, and the
// chunk goes on for ever.
// Not by clang, which counts the iterations itself, and finds none in many of these loops.
// xomp-test: threads=1,2,3,8 timeout=60 flags=-Wno-aggressive-loop-optimizations
// xomp-test: flags=-fno-sanitize=signed-integer-overflow
#include <limits.h>
#include <omp.h>
#include <string.h>

#include "check.h"

enum { kMost = 64 };
static int hits[kMost];

// The iteration with number `i` of `trips`.
static void touch(unsigned long long i, int trips) {
  CHECK(i < (unsigned long long)trips);
  int now;
#pragma omp atomic capture
  now = ++hits[i];
  CHECK(now == 1); // before a loop that never ends fills the output
}

static void expect_all(int trips) {
  for (int i = 0; i < kMost; ++i)
    CHECK(hits[i] == (i < trips));
  memset(hits, 0, sizeof hits);
}

// Numbers of iterations are told modulo 2^64, as the loop may be wider than its type's half.
#define NUMBER(i, first, step)                                                                     \
  (((unsigned long long)(i) - (unsigned long long)(first)) / (unsigned long long)(step))
#define NUMBER_DOWN(i, first, step)                                                                \
  (((unsigned long long)(first) - (unsigned long long)(i)) / (unsigned long long)(step))

// GCC takes constant bounds of an unsigned loop for signed ones when the last increment overflows.
#define LOOP(type, first, relation, past, change, step, number, trips, ...)                        \
  {                                                                                                \
    type from = first, to = past;                                                                  \
    _Pragma("omp parallel") {                                                                      \
      _Pragma(__VA_ARGS__) for (type i = from; i relation to; i change step)                       \
          touch(number(i, from, step), trips);                                                     \
    }                                                                                              \
    expect_all(trips);                                                                             \
  }

#define EACH_SCHEDULE(type, first, relation, past, change, step, number, trips)                    \
  LOOP(type, first, relation, past, change, step, number, trips, "omp for schedule(dynamic)")      \
  LOOP(type, first, relation, past, change, step, number, trips, "omp for schedule(dynamic, 3)")   \
  LOOP(type, first, relation, past, change, step, number, trips, "omp for schedule(dynamic, 100)") \
  LOOP(type, first, relation, past, change, step, number, trips,                                   \
       "omp for schedule(monotonic : dynamic, 4)")                                                 \
  LOOP(type, first, relation, past, change, step, number, trips, "omp for schedule(guided)")       \
  LOOP(type, first, relation, past, change, step, number, trips,                                   \
       "omp for schedule(monotonic : guided, 2)")                                                  \
  for (int kind = omp_sched_static; kind <= omp_sched_guided; ++kind) {                            \
    for (int chunk = 0; chunk <= 9; chunk += 3) {                                                  \
      omp_set_schedule(kind, chunk);                                                               \
      LOOP(type, first, relation, past, change, step, number, trips, "omp for schedule(runtime)")  \
      LOOP(type, first, relation, past, change, step, number, trips,                               \
           "omp for schedule(runtime) ordered")                                                    \
    }                                                                                              \
  }

#define UP(type, first, past, step, trips)                                                         \
  EACH_SCHEDULE(type, first, <, past, +=, step, NUMBER, trips)
#define DOWN(type, first, past, step, trips)                                                       \
  EACH_SCHEDULE(type, first, >, past, -=, step, NUMBER_DOWN, trips)

// Not unsigned types narrower than long downwards: for those GCC hands over an empty range.
static void narrow(void) {
  UP(signed char, SCHAR_MIN, SCHAR_MAX, 50, 6)
  DOWN(signed char, SCHAR_MAX, SCHAR_MIN, 50, 6)
  UP(unsigned char, 0, UCHAR_MAX, 16, 16)
  UP(short, SHRT_MIN, SHRT_MAX - 1, 2000, 33)
  DOWN(short, SHRT_MAX, SHRT_MIN + 1, 2000, 33)
  UP(unsigned short, 1, USHRT_MAX, 4000, 17)
}

static void of_int(void) {
  UP(int, INT_MIN, INT_MAX - 8, INT_MAX / 13, 27)
  DOWN(int, INT_MAX, INT_MIN + 8, INT_MAX / 13, 27)
  UP(int, INT_MAX - 10, INT_MAX, 3, 4)
  DOWN(int, INT_MIN + 10, INT_MIN, 3, 4)
  UP(int, 0, INT_MAX, INT_MAX - 1, 2)
  UP(unsigned, 0, UINT_MAX - 8, UINT_MAX / 13 - 2, 14)
  UP(unsigned, INT_MAX - 10u, INT_MAX + 0u, 3, 4)
}

static void of_long(void) {
  UP(long, LONG_MIN, LONG_MAX - 8, LONG_MAX / 13, 27)
  DOWN(long, LONG_MAX, LONG_MIN + 8, LONG_MAX / 13, 27)
  UP(long, LONG_MIN, LONG_MAX, LONG_MAX, 3)
  DOWN(long, LONG_MAX, LONG_MIN, LONG_MAX, 3)
  UP(long, LONG_MAX - 100, LONG_MAX - 1, 7, 15)
  UP(unsigned long long, 0, ULLONG_MAX - 8, ULLONG_MAX / 13 - 2, 14)
  DOWN(unsigned long long, ULLONG_MAX, 8, ULLONG_MAX / 13 - 2, 14)
  UP(unsigned long long, ULLONG_MAX - 100, ULLONG_MAX, 7, 15)
  DOWN(unsigned long long, 100, 1, 7, 15)
  UP(unsigned long, 0, ULONG_MAX, ULONG_MAX - 1, 2)
}

int main(void) {
  narrow();
  of_int();
  of_long();
  return 0;
}
