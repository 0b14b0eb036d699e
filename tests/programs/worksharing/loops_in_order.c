// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dynamic and guided chunks are handed out in the order of the iterations, whatever the modifier
// says, so that iterations may wait for their neighbours on both sides: at any time as many of them
// meet as there are threads, also after thousands that took no time. Dynamic loops of clang's
// programs say that they are nonmonotonic if nothing else is said; the threads may divide these
// (loops_divided.c). Guided chunks are proportional to what is left.
// xomp-test: threads=1,2,3,4,8 timeout=60 compilers=gcc,clang
#include <omp.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

bool GOMP_loop_nonmonotonic_guided_start(long, long, long, long, long*, long*);
bool GOMP_loop_nonmonotonic_guided_next(long*, long*);
bool GOMP_loop_nonmonotonic_dynamic_start(long, long, long, long, long*, long*);
bool GOMP_loop_nonmonotonic_dynamic_next(long*, long*);
void GOMP_loop_end(void);

#ifdef __clang__
#define IN_ORDER monotonic
#else
#define IN_ORDER nonmonotonic
#endif

// What others do meanwhile; there may be fewer processors than threads.
static void await_at_least(atomic_int* word, int least) {
  for (int tries = 0; atomic_load(word) < least; ++tries)
    if (tries > 100)
      sched_yield();
}

// As many consecutive chunks as there are threads wait until all of them have begun.
static void neighbours_meet(int quick, int groups, int chunk) {
  atomic_int* here = calloc((size_t)groups, sizeof *here);
#pragma omp parallel
  {
    int members = omp_get_num_threads();
#pragma omp for schedule(IN_ORDER : dynamic, chunk)
    for (int i = 0; i < (quick + groups * members) * chunk; ++i) {
      int number = i / chunk - quick;
      if (i % chunk || number < 0)
        continue;
      atomic_int* group = &here[number / members];
      atomic_fetch_add(group, 1);
      await_at_least(group, members);
    }
  }
  free(here);
}

// The same in an ordered loop, where more threads than processors are kept from taking chunks
// early: but not for long.
static void ordered_neighbours_meet(int groups) {
  atomic_int* here = calloc((size_t)groups, sizeof *here);
  int last = -1;
#pragma omp parallel
  {
    int members = omp_get_num_threads();
#pragma omp for ordered schedule(dynamic)
    for (int i = 0; i < groups * members; ++i) {
      atomic_fetch_add(&here[i / members], 1);
      await_at_least(&here[i / members], members);
#pragma omp ordered
      {
        CHECK(last == i - 1);
        last = i;
      }
    }
  }
  free(here);
}

// And in a doacross loop.
static void doacross_neighbours_meet(int groups) {
  atomic_int* here = calloc((size_t)groups, sizeof *here);
  int last = -1;
#pragma omp parallel
  {
    int members = omp_get_num_threads();
#pragma omp for ordered(1) schedule(dynamic)
    for (int i = 0; i < groups * members; ++i) {
      atomic_fetch_add(&here[i / members], 1);
      await_at_least(&here[i / members], members);
#pragma omp ordered depend(sink : i - 1)
      CHECK(last == i - 1);
      last = i;
#pragma omp ordered depend(source)
    }
  }
  free(here);
}

// Two of three threads come late: there the counter stands further on.
static void latecomers_meet(void) {
  enum { kQuick = 20000 };
  atomic_int done = 0, here[16] = {0};
#pragma omp parallel
  {
    int members = omp_get_num_threads();
    if (omp_get_thread_num() % 3)
      await_at_least(&done, kQuick);
#pragma omp for schedule(IN_ORDER : dynamic) nowait
    for (int i = 0; i < kQuick + 16 * members; ++i) {
      if (i < kQuick) {
        atomic_fetch_add(&done, 1);
        continue;
      }
      atomic_int* group = &here[(i - kQuick) / members];
      atomic_fetch_add(group, 1);
      await_at_least(group, members);
    }
  }
}

// Whatever begins, no more chunks before it have not begun than other members can have in their
// hands.
static void nothing_is_left_behind(int chunk) {
  atomic_int begun = 0;
#pragma omp parallel
  {
    int members = omp_get_num_threads(), late = 0;
#pragma omp for schedule(IN_ORDER : dynamic, chunk)
    for (int i = 0; i < 20000 * chunk; ++i)
      if (i % chunk == 0 && atomic_fetch_add(&begun, 1) + members - 1 < i / chunk)
        ++late;
    CHECK(members == 1 || late == 0);
  }
  CHECK(atomic_load(&begun) == 20000);
}

// Row i needs the same column of row i - 1; in the middle of a row the next one has to be under
// way.
enum { kRows = 64, kColumns = 128 };
static atomic_int passed[kRows + 1], begun[kRows + 1];
static long cells[kRows + 1][kColumns];

static void wavefront(void) {
  for (int i = 0; i <= kRows; ++i)
    passed[i] = begun[i] = 0;
  passed[0] = kColumns;
  for (int j = 0; j < kColumns; ++j)
    cells[0][j] = 1;
#pragma omp parallel for schedule(dynamic)
  for (int i = 1; i <= kRows; ++i) {
    begun[i] = 1;
    for (int j = 0; j < kColumns; ++j) {
      await_at_least(&passed[i - 1], j + 1);
      cells[i][j] = (cells[i - 1][j] + (j ? cells[i][j - 1] : 0)) % 1000003;
      atomic_store(&passed[i], j + 1);
      if (j == kColumns / 2 && i < kRows && omp_get_num_threads() > 1)
        await_at_least(&begun[i + 1], 1);
    }
  }
  for (int i = 1; i <= kRows; ++i)
    for (int j = 0; j < kColumns; ++j)
      CHECK(cells[i][j] == (cells[i - 1][j] + (j ? cells[i][j - 1] : 0)) % 1000003);
}

static long length_from[10000];

static void note(long begin, long end) {
  CHECK(begin >= 0 && end > begin && end <= 10000 && length_from[begin] == 0);
  length_from[begin] = end - begin;
}

// OpenMP 5.2, 11.5.3: what is left, divided by the number of threads, but at least the chunk size.
static void guided_is_proportional(long trips, long chunk) {
  memset(length_from, 0, sizeof length_from);
  long members = 0;
#pragma omp parallel
  {
    long begin, end;
    if (omp_get_thread_num() == 0)
      members = omp_get_num_threads();
    if (GOMP_loop_nonmonotonic_guided_start(0, trips, 1, chunk, &begin, &end))
      do
        note(begin, end);
      while (GOMP_loop_nonmonotonic_guided_next(&begin, &end));
    GOMP_loop_end();
  }
  if (members == 1) // may have all of it at once
    return;
  for (long at = 0; at < trips; at += length_from[at]) {
    long left = trips - at, least = chunk > 1 ? chunk : 1;
    long want = (left + members - 1) / members;
    if (want < least)
      want = least;
    if (want > left)
      want = left;
    CHECK(labs(length_from[at] - want) <= 1);
  }
}

// Each thread's chunks ascend, none is lost, and only the last one is shorter.
static void dynamic_is_complete(long trips, long chunk) {
  memset(length_from, 0, sizeof length_from);
#pragma omp parallel
  {
    long begin, end, before = -1;
    if (GOMP_loop_nonmonotonic_dynamic_start(0, trips, 1, chunk, &begin, &end))
      do {
        CHECK(begin > before);
        before = begin;
        note(begin, end);
      } while (GOMP_loop_nonmonotonic_dynamic_next(&begin, &end));
    GOMP_loop_end();
  }
  for (long at = 0; at < trips; at += length_from[at])
    CHECK(length_from[at] == (trips - at < chunk ? trips - at : chunk) || length_from[at] == trips);
}

int main(void) {
  alarm(50); // what hangs says so
  for (int round = 0; round < 3; ++round) {
    neighbours_meet(0, 8, 1 + round);
    neighbours_meet(100 << 2 * round, 8, 1 + round % 2);
    ordered_neighbours_meet(16);
    doacross_neighbours_meet(16);
    latecomers_meet();
    wavefront();
  }
  nothing_is_left_behind(1);
  nothing_is_left_behind(3);
  guided_is_proportional(10000, 1);
  guided_is_proportional(9973, 7);
  guided_is_proportional(3, 5);
  dynamic_is_complete(10000, 1);
  dynamic_is_complete(9973, 16);
  return 0;
}
