// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// N queens: in how many ways n queens fit on a board without attacking each other. A task for each
// square of the next row, which finds out whether the square is safe on a copy of the board, as in
// the Barcelona suite (BOTS); paper 1 Table III counts its tasks so. The variants differ in
// tiedness and in what keeps tasks from becoming too small below a depth.
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

#define PRAGMA(...) _Pragma(#__VA_ARGS__)

// One function per variant: whether a task is tied is fixed when it is compiled. Tasks are handed
// their parent's board by address, for it outlives them: LLVM's runtime loses a struct that is
// firstprivate in a gcc program's task whose if clause is false.
#define QUEENS(NAME, CLAUSES, STOP)                                                                \
  static long NAME(int row, const Board* board) {                                                  \
    if (row == n)                                                                                  \
      return 1;                                                                                    \
    if (STOP) {                                                                                    \
      Board own = *board;                                                                          \
      return serial(row, own.column);                                                              \
    }                                                                                              \
    long count[kMost] = {0};                                                                       \
    for (int i = 0; i < n; i++) {                                                                  \
      PRAGMA(omp task shared(count) CLAUSES) {                                                     \
        Board own = *board;                                                                        \
        own.column[row] = (signed char)i;                                                          \
        if (safe(row, own.column))                                                                 \
          count[i] = NAME(row + 1, &own);                                                          \
      }                                                                                            \
    }                                                                                              \
    _Pragma("omp taskwait") long total = 0;                                                        \
    for (int i = 0; i < n; i++)                                                                    \
      total += count[i];                                                                           \
    return total;                                                                                  \
  }                                                                                                \
  static void run_##NAME(void) {                                                                   \
    _Pragma("omp parallel") _Pragma("omp single") found = NAME(0, &(Board){{0}});                  \
  }

QUEENS(tied, , 0)
QUEENS(untied, untied, 0)
QUEENS(tied_if, if (row < cutoff), 0)
QUEENS(untied_if, untied if (row < cutoff), 0)
QUEENS(tied_manual, , row >= cutoff)
QUEENS(untied_manual, untied, row >= cutoff)

static void run_serial(void) {
  Board board;
  found = serial(0, board.column);
}

static const Variant kVariants[] = {
    {"tied", "a tied task per square", run_tied},
    {"untied", "an untied task per square", run_untied},
    {"tied-if", "tied, with an if clause below the cut-off", run_tied_if},
    {"untied-if", "untied, with an if clause below the cut-off", run_untied_if},
    {"tied-manual", "tied, the serial code below the cut-off", run_tied_manual},
    {"untied-manual", "untied, the serial code below the cut-off", run_untied_manual},
    {"serial", "no OpenMP", run_serial},
    {0},
};

// n: paper 1 section VI has 15 (16 in section VIII); papers 3 and 5 have 14 with the manual
// cut-off, whose depth is the suite's default.
static const Parameter kParameters[] = {
    {"n", "queens", kInteger, &n, {"8", "10", "12", "15"}, 1, kMost},
    {"cutoff",
     "rows with tasks in the -if and -manual variants",
     kInteger,
     &cutoff,
     {"3", "3", "3", "3"},
     0,
     kMost},
    {0},
};

// Counts in placed[r] the safe placements of queens in the first r rows. Another algorithm than the
// one checked: sets of attacked columns as bits.
static void place(int row, unsigned columns, unsigned left, unsigned right, uint64_t* placed) {
  placed[row]++;
  if (row == n)
    return;
  for (unsigned free = ((1u << n) - 1) & ~(columns | left | right); free != 0; free &= free - 1) {
    unsigned square = free & -free;
    place(row + 1, columns | square, (left | square) << 1, (right | square) >> 1, placed);
  }
}

static int check(void) {
  static const long known[kMost + 1] = {1,   1,   0,    0,     2,     10,     4,       40,      92,
                                        352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512};
  uint64_t placed[kMost + 1] = {0}; // by rows with a queen
  place(0, 0, 0, 0, placed);
  uint64_t tasks = 0;
  for (int row = 0; row < n && !app_variant_has("serial"); row++)
    tasks += row < cutoff || !app_variant_has("manual") ? (uint64_t)n * placed[row] : 0;
  app_tasks(tasks);
  app_note("solutions=%ld", found);
  return found == known[n] && placed[n] == (uint64_t)known[n]; // OEIS A000170
}

int main(int argc, char** argv) {
  static const App app = {"nqueens", "Ways to place n queens", kVariants, kParameters, 0, check};
  return app_main(&app, argc, argv);
}
