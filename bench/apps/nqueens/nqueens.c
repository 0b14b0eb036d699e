// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// N queens: in how many ways n queens fit on a board without attacking each other. A task for each
// square of the next row, which finds out whether the square is safe on a copy of the board, as in
// the Barcelona suite (BOTS); paper 1 Table III counts its tasks so. The variants differ in
// tiedness and in what keeps tasks from becoming too small below a depth.
#include "nqueens.h"

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

int main(int argc, char** argv) {
  static const App app = {"nqueens", "Ways to place n queens", kVariants, kParameters, 0, check};
  return app_main(&app, argc, argv);
}
