// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Product of two dense matrices by Strassen's method, a task for each of a level's seven products,
// down to blocks that are multiplied in the classical way. The variants differ in tiedness and in
// what keeps tasks from becoming too small below a depth, as in the Barcelona suite (BOTS).
#include "problem.h"

#define PRAGMA(...) _Pragma(#__VA_ARGS__)

// One function per variant: whether a task is tied is fixed when it is compiled.
#define STRASSEN(NAME, CLAUSES, STOP)                                                              \
  static void NAME(Matrix x, Matrix y, Matrix z, size_t size, int depth) {                         \
    if ((long)size <= block || (STOP)) {                                                           \
      serial(x, y, z, size);                                                                       \
      return;                                                                                      \
    }                                                                                              \
    Level level;                                                                                   \
    begin_level(&level, x, y, z, size / 2);                                                        \
    for (int i = 0; i < kProducts; i++) {                                                          \
      PRAGMA(omp task shared(level) CLAUSES)                                                       \
      NAME(level.left[i], level.right[i], level.result[i], size / 2, depth + 1);                   \
    }                                                                                              \
    _Pragma("omp taskwait") end_level(&level, z, size / 2);                                        \
  }                                                                                                \
  static void run_##NAME(void) {                                                                   \
    Matrix x = {a, n}, y = {b, n}, z = {c, n};                                                     \
    _Pragma("omp parallel") _Pragma("omp single") NAME(x, y, z, n, 0);                             \
  }

STRASSEN(tied, , 0)
STRASSEN(untied, untied, 0)
STRASSEN(tied_if, if (depth < cutoff), 0)
STRASSEN(untied_if, untied if (depth < cutoff), 0)
STRASSEN(tied_manual, , depth >= cutoff)
STRASSEN(untied_manual, untied, depth >= cutoff)

static void run_serial(void) {
  Matrix x = {a, n}, y = {b, n}, z = {c, n};
  serial(x, y, z, n);
}

static const Variant kVariants[] = {
    {"tied", "tied tasks", run_tied},
    {"untied", "untied tasks", run_untied},
    {"tied-if", "tied, with an if clause below the cut-off", run_tied_if},
    {"untied-if", "untied, with an if clause below the cut-off", run_untied_if},
    {"tied-manual", "tied, the serial code below the cut-off", run_tied_manual},
    {"untied-manual", "untied, the serial code below the cut-off", run_untied_manual},
    {"serial", "no OpenMP", run_serial},
    {0},
};

int main(int argc, char** argv) {
  static const App app = {
      "strassen", "Strassen's matrix product", kVariants, kParameters, prepare, check,
  };
  return app_main(&app, argc, argv);
}
