// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Doacross loops: an iteration sees what the iterations it depends on have written, in one, two and
// three dimensions, under every schedule, with bounds so wide that an iteration vector does not fit
// into a word, and with counts of one.
// xomp-test: threads=1,2,8 timeout=120 compilers=gcc,clang
#include <omp.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "check.h"

enum { kRows = 60, kColumns = 40 };
static int grid[kRows + 1][kColumns + 1];

static void line(void) {
  static int value[2000];
  memset(value, 0, sizeof value);
#pragma omp parallel for ordered(1) schedule(runtime)
  for (int i = 1; i < 2000; ++i) {
#pragma omp ordered depend(sink : i - 1)
    value[i] = value[i - 1] + 1;
#pragma omp ordered depend(source)
  }
  CHECK(value[1999] == 1999);
}

static void wavefront(void) {
  memset(grid, 0, sizeof grid);
#pragma omp parallel for ordered(2) schedule(runtime)
  for (int i = 1; i <= kRows; ++i)
    for (int j = 1; j <= kColumns; ++j) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
      grid[i][j] = 1 + (grid[i - 1][j] > grid[i][j - 1] ? grid[i - 1][j] : grid[i][j - 1]);
#pragma omp ordered depend(source)
    }
  for (int i = 1; i <= kRows; ++i)
    for (int j = 1; j <= kColumns; ++j)
      CHECK(grid[i][j] == i + j - 1);
}

static void wavefront_unsigned(void) {
  memset(grid, 0, sizeof grid);
#pragma omp parallel for ordered(2) schedule(runtime)
  for (unsigned long long i = 1; i <= kRows; ++i)
    for (unsigned long long j = 1; j <= kColumns; ++j) {
#pragma omp ordered depend(sink : i - 1, j - 1)
      grid[i][j] = 1 + grid[i - 1][j - 1];
#pragma omp ordered depend(source)
    }
  for (int i = 1; i <= kRows; ++i)
    for (int j = 1; j <= kColumns; ++j)
      CHECK(grid[i][j] == (i < j ? i : j));
}

static void wavefront_down(void) {
  memset(grid, 0, sizeof grid);
#pragma omp parallel for ordered(2) schedule(runtime)
  for (long i = kRows; i > 0; --i)
    for (long j = 1; j <= kColumns; j += 2) {
#pragma omp ordered depend(sink : i + 1, j) depend(sink : i + 1, j + 2) depend(sink : i, j - 2)
      int before = j == 1 ? 0 : grid[i][j - 2];
      int right = i == kRows || j + 2 > kColumns ? 0 : grid[i + 1][j + 2];
      grid[i][j] = 1 + (before > right ? before : right);
#pragma omp ordered depend(source)
    }
  for (int i = kRows; i > 0; --i)
    for (int j = 1; j <= kColumns; j += 2) {
      int before = j == 1 ? 0 : grid[i][j - 2];
      int right = i == kRows || j + 2 > kColumns ? 0 : grid[i + 1][j + 2];
      CHECK(grid[i][j] == 1 + (before > right ? before : right));
    }
}

// Iteration vectors of 3 + 40 + 40 bits are too many for one word. Nobody has time for all those
// iterations, so this calls the entry points as the compiler would and visits some.
bool GOMP_loop_doacross_start(unsigned, long*, long, long, long*, long*, uintptr_t*, void**);
bool GOMP_loop_runtime_next(long*, long*);
void GOMP_doacross_post(long*);
void GOMP_doacross_wait(long, ...);
void GOMP_loop_end(void);

static void wide(void) {
  static int cube[8][4][4];
  static const long visited[4] = {0, 1, 1L << 39, (1L << 40) - 1};
  memset(cube, 0, sizeof cube);
#pragma omp parallel
  {
    long counts[3] = {8, 1L << 40, 1L << 40}, begin, end;
    for (bool more = GOMP_loop_doacross_start(3, counts, 2, 1, &begin, &end, 0, 0); more;
         more = GOMP_loop_runtime_next(&begin, &end))
      for (long i = begin; i < end; ++i)
        for (int j = 0; j < 4; ++j)
          for (int k = 0; k < 4; ++k) {
            if (i)
              GOMP_doacross_wait(i - 1, visited[j], visited[k]);
            cube[i][j][k] = i ? cube[i - 1][j][k] + 1 : 1;
            GOMP_doacross_post((long[]){i, visited[j], visited[k]});
          }
    GOMP_loop_end();
  }
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 4; ++j)
      for (int k = 0; k < 4; ++k)
        CHECK(cube[i][j][k] == i + 1);
}

static void degenerate(int none) {
  int runs = 0;
#pragma omp parallel for ordered(2) schedule(runtime) reduction(+ : runs)
  for (int i = 0; i < 20; ++i)
    for (int j = 0; j < none; ++j) {
#pragma omp ordered depend(sink : i - 1, j)
      runs++;
#pragma omp ordered depend(source)
    }
  CHECK(runs == 20 * none);
}

int main(void) {
  static const omp_sched_t kinds[] = {omp_sched_static, omp_sched_dynamic, omp_sched_guided,
                                      omp_sched_auto};
  static const int chunks[] = {0, 1, 7};
  for (int k = 0; k < 4; ++k)
    for (int c = 0; c < 3; ++c) {
      omp_set_schedule(kinds[k], chunks[c]);
      line();
      wavefront();
      wavefront_down();
      wavefront_unsigned();
      degenerate(0);
      degenerate(1);
    }
  for (int repeat = 0; repeat < 50; ++repeat)
    wide();
  return 0;
}
