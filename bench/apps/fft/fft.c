// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fast Fourier transform of n complex numbers by recursion, with tasks for the smaller transforms
// and for halves of the loops before and after them, as in Cilk's and the Barcelona suite's (BOTS).
// The factors are made before the clock starts.
#include "problem.h"

#define PRAGMA(...) _Pragma(#__VA_ARGS__)

// The loop NAME over low to high - 1, halved into tasks until at most `chunk` turns are left.
#define HALVES(NAME, STEP, CLAUSES)                                                                \
  static void NAME(const Level* level, const Complex* in, Complex* out, long low, long high) {     \
    if (high - low <= chunk) {                                                                     \
      STEP(level, in, out, low, high);                                                             \
      return;                                                                                      \
    }                                                                                              \
    long middle = low + (high - low) / 2;                                                          \
    PRAGMA(omp task CLAUSES)                                                                       \
    NAME(level, in, out, low, middle);                                                             \
    PRAGMA(omp task CLAUSES)                                                                       \
    NAME(level, in, out, middle, high);                                                            \
    _Pragma("omp taskwait")                                                                        \
  }

#define FFT(NAME, CLAUSES)                                                                         \
  HALVES(NAME##_gather, gather, CLAUSES)                                                           \
  HALVES(NAME##_combine, combine, CLAUSES)                                                         \
  static void NAME(const Level* level, Complex* in, Complex* out) {                                \
    if (level->size <= leaf) {                                                                     \
      transform(level, in, out);                                                                   \
      return;                                                                                      \
    }                                                                                              \
    long part = level->part;                                                                       \
    NAME##_gather(level, in, out, 0, part);                                                        \
    for (int k = 0; k < level->radix; k++) {                                                       \
      PRAGMA(omp task CLAUSES)                                                                     \
      NAME(level + 1, out + k * part, in + k * part);                                              \
    }                                                                                              \
    _Pragma("omp taskwait") NAME##_combine(level, in, out, 0, part);                               \
  }                                                                                                \
  static void run_##NAME(void) {                                                                   \
    _Pragma("omp parallel") _Pragma("omp single") NAME(plan, input, output);                       \
  }

FFT(tied, )
FFT(untied, untied)

static void run_serial(void) { transform(plan, input, output); }

static const Variant kVariants[] = {
    {"tied", "tied tasks", run_tied},
    {"untied", "untied tasks", run_untied},
    {"serial", "no OpenMP", run_serial},
    {0},
};

int main(int argc, char** argv) {
  static const App app = {
      "fft", "Fast Fourier transform", kVariants, kParameters, prepare, check,
  };
  return app_main(&app, argc, argv);
}
