// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recursive Fibonacci, the smallest task there is. A task for either call as in the Barcelona suite
// (BOTS), or only for the first; the cut-offs are on the depth of the recursion. The code of the
// variants without a cut-off is kept bare: instructions per task are counted on it.
#include "fib.h"

#define PRAGMA(...) _Pragma(#__VA_ARGS__)

// One function per variant: whether a task is tied is fixed when it is compiled.
#define FIB(NAME, CLAUSES)                                                                         \
  static long NAME(int n) {                                                                        \
    if (n < 2)                                                                                     \
      return n;                                                                                    \
    long x, y;                                                                                     \
    PRAGMA(omp task shared(x) CLAUSES)                                                             \
    x = NAME(n - 1);                                                                               \
    PRAGMA(omp task shared(y) CLAUSES)                                                             \
    y = NAME(n - 2);                                                                               \
    _Pragma("omp taskwait") return x + y;                                                          \
  }                                                                                                \
  static void run_##NAME(void) {                                                                   \
    _Pragma("omp parallel") _Pragma("omp single") result = NAME((int)n);                           \
  }

FIB(tied, )
FIB(untied, untied)

static long one(int n) {
  if (n < 2)
    return n;
  long x, y;
#pragma omp task shared(x)
  x = one(n - 1);
  y = one(n - 2);
#pragma omp taskwait
  return x + y;
}

static void run_one(void) {
#pragma omp parallel
#pragma omp single
  result = one((int)n);
}

#define FIB_CUT(NAME, CLAUSES, STOP)                                                               \
  static long NAME(int n, int depth) {                                                             \
    if (n < 2)                                                                                     \
      return n;                                                                                    \
    if (STOP)                                                                                      \
      return serial(n);                                                                            \
    long x, y;                                                                                     \
    PRAGMA(omp task shared(x) CLAUSES)                                                             \
    x = NAME(n - 1, depth + 1);                                                                    \
    PRAGMA(omp task shared(y) CLAUSES)                                                             \
    y = NAME(n - 2, depth + 1);                                                                    \
    _Pragma("omp taskwait") return x + y;                                                          \
  }                                                                                                \
  static void run_##NAME(void) {                                                                   \
    _Pragma("omp parallel") _Pragma("omp single") result = NAME((int)n, 0);                        \
  }

FIB_CUT(tied_if, if (depth < cutoff), 0)
FIB_CUT(untied_if, untied if (depth < cutoff), 0)
FIB_CUT(tied_manual, , depth >= cutoff)
FIB_CUT(untied_manual, untied, depth >= cutoff)

static void run_serial(void) { result = serial((int)n); }

static const Variant kVariants[] = {
    {"tied", "a tied task for either call", run_tied},
    {"untied", "an untied task for either call", run_untied},
    {"one", "a tied task for the first call only", run_one},
    {"tied-if", "tied, with an if clause below the cut-off", run_tied_if},
    {"untied-if", "untied, with an if clause below the cut-off", run_untied_if},
    {"tied-manual", "tied, the serial code below the cut-off", run_tied_manual},
    {"untied-manual", "untied, the serial code below the cut-off", run_untied_manual},
    {"serial", "no OpenMP", run_serial},
    {0},
};

int main(int argc, char** argv) {
  static const App app = {"fib", "Recursive Fibonacci", kVariants, kParameters, 0, check};
  return app_main(&app, argc, argv);
}
