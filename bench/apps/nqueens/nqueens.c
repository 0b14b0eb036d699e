// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// N queens: in how many ways n queens fit on a board without attacking each other. A task for each
// safe square of the next row, with a copy of the board, as in the Barcelona suite (BOTS). The
// variants differ in tiedness and in what keeps tasks from becoming too small below a depth.
#include "../../frame/app.h"

#include <string.h>

enum { kMost = 16 };

static long n, cutoff;
static long found;

static int safe(int row, const signed char* column) {
  for (int i = 0; i < row; i++) {
    int distance = column[row] - column[i];
    if (distance == 0 || distance == row - i || distance == i - row)
      return 0;
  }
  return 1;
}

static long serial(int row, signed char* column) {
  if (row == n)
    return 1;
  long count = 0;
  for (int i = 0; i < n; i++) {
    column[row] = (signed char)i;
    if (safe(row, column))
      count += serial(row + 1, column);
  }
  return count;
}

typedef struct {
  signed char column[kMost];
} Board;

// One function per variant: whether a task is tied is fixed when it is compiled.
#define QUEENS(NAME, CLAUSES, STOP)                                                                \
  static long NAME(int row, Board board) {                                                         \
    if (row == n)                                                                                  \
      return 1;                                                                                    \
    if (STOP)                                                                                      \
      return serial(row, board.column);                                                            \
    long count[kMost] = {0};                                                                       \
    for (int i = 0; i < n; i++) {                                                                  \
      board.column[row] = (signed char)i;                                                          \
      if (!safe(row, board.column))                                                                \
        continue;                                                                                  \
      _Pragma(CLAUSES) count[i] = NAME(row + 1, board);                                            \
    }                                                                                              \
    _Pragma("omp taskwait") long total = 0;                                                        \
    for (int i = 0; i < n; i++)                                                                    \
      total += count[i];                                                                           \
    return total;                                                                                  \
  }                                                                                                \
  static void run_##NAME(void) {                                                                   \
    _Pragma("omp parallel") _Pragma("omp single") found = NAME(0, (Board){{0}});                   \
  }

QUEENS(tied, "omp task shared(count)", 0)
QUEENS(untied, "omp task untied shared(count)", 0)
QUEENS(tied_if, "omp task shared(count) if (row < cutoff)", 0)
QUEENS(untied_if, "omp task untied shared(count) if (row < cutoff)", 0)
QUEENS(tied_manual, "omp task shared(count)", row >= cutoff)
QUEENS(untied_manual, "omp task untied shared(count)", row >= cutoff)

static void run_serial(void) {
  Board board;
  found = serial(0, board.column);
}

static const Variant kVariants[] = {
    {"tied", "a tied task per safe square", run_tied},
    {"untied", "an untied task per safe square", run_untied},
    {"tied-if", "tied, with an if clause below the cut-off", run_tied_if},
    {"untied-if", "untied, with an if clause below the cut-off", run_untied_if},
    {"tied-manual", "tied, the serial code below the cut-off", run_tied_manual},
    {"untied-manual", "untied, the serial code below the cut-off", run_untied_manual},
    {"serial", "no OpenMP", run_serial},
    {0},
};

static const Parameter kParameters[] = {
    {"n", "queens", kInteger, &n, {"8", "11", "12", "14"}, 1, kMost},
    {"cutoff",
     "rows with tasks in the -if and -manual variants",
     kInteger,
     &cutoff,
     {"3", "3", "3", "3"},
     0,
     kMost},
    {0},
};

// OEIS A000170.
static int check(void) {
  static const long known[kMost + 1] = {1,   1,   0,    0,     2,     10,     4,       40,      92,
                                        352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512};
  app_note("solutions=%ld", found);
  return found == known[n];
}

int main(int argc, char** argv) {
  static const App app = {"nqueens", "Ways to place n queens", kVariants, kParameters, 0, check};
  return app_main(&app, argc, argv);
}
