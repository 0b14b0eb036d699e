// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiled Cholesky factorisation (paper 4's second workload): potrf, trsm, syrk and gemm on tiles,
// each a task. With `depend` all tasks are made at once and their order follows from the tiles that
// they read and write; with `taskwait` each step waits for its panel and for its updates.
#include "../../frame/app.h"
#include "matrix.h"

#include <stdint.h>

static long order, tile, seed;
static Matrix matrix;
static int failed; // a diagonal tile was not positive definite

// The kernels, named as in LAPACK. A tile is `size` x `size`.
static void potrf(double* diagonal) {
  int size = (int)tile, info;
  dpotrf_("L", &size, diagonal, &size, &info);
  if (info != 0)
    __atomic_store_n(&failed, 1, __ATOMIC_RELAXED);
}

static void trsm(const double* diagonal, double* below) {
  int size = (int)tile;
  double one = 1;
  dtrsm_("R", "L", "T", "N", &size, &size, &one, diagonal, &size, below, &size);
}

static void syrk(const double* panel, double* diagonal) {
  int size = (int)tile;
  double one = 1, minus = -1;
  dsyrk_("L", "N", &size, &size, &minus, panel, &size, &one, diagonal, &size);
}

static void gemm(const double* left, const double* right, double* target) {
  int size = (int)tile;
  double one = 1, minus = -1;
  dgemm_("N", "T", &size, &size, &size, &minus, left, &size, right, &size, &one, target, &size);
}

static double* at(int row, int column) { return matrix_tile(&matrix, row, column); }

static void serial(void) {
  for (int k = 0; k < matrix.tiles; k++) {
    potrf(at(k, k));
    for (int i = k + 1; i < matrix.tiles; i++)
      trsm(at(k, k), at(i, k));
    for (int i = k + 1; i < matrix.tiles; i++) {
      syrk(at(i, k), at(i, i));
      for (int j = k + 1; j < i; j++)
        gemm(at(i, k), at(j, k), at(i, j));
    }
  }
}

#define PRAGMA(...) _Pragma(#__VA_ARGS__)

// One function per variant: whether a task is tied is fixed when it is compiled.
#define DEPEND(NAME, TIE)                                                                          \
  static void NAME(void) {                                                                         \
    for (int k = 0; k < matrix.tiles; k++) {                                                       \
      double* kk = at(k, k);                                                                       \
      PRAGMA(omp task TIE depend(inout : kk[0]))                                                   \
      potrf(kk);                                                                                   \
      for (int i = k + 1; i < matrix.tiles; i++) {                                                 \
        double* ik = at(i, k);                                                                     \
        PRAGMA(omp task TIE depend(in : kk[0]) depend(inout : ik[0]))                              \
        trsm(kk, ik);                                                                              \
      }                                                                                            \
      for (int i = k + 1; i < matrix.tiles; i++) {                                                 \
        double *ik = at(i, k), *ii = at(i, i);                                                     \
        PRAGMA(omp task TIE depend(in : ik[0]) depend(inout : ii[0]))                              \
        syrk(ik, ii);                                                                              \
        for (int j = k + 1; j < i; j++) {                                                          \
          double *jk = at(j, k), *ij = at(i, j);                                                   \
          PRAGMA(omp task TIE depend(in : ik[0], jk[0]) depend(inout : ij[0]))                     \
          gemm(ik, jk, ij);                                                                        \
        }                                                                                          \
      }                                                                                            \
    }                                                                                              \
  }                                                                                                \
  static void run_##NAME(void) { _Pragma("omp parallel") _Pragma("omp single") NAME(); }

#define TASKWAIT(NAME, TIE)                                                                        \
  static void NAME(void) {                                                                         \
    for (int k = 0; k < matrix.tiles; k++) {                                                       \
      potrf(at(k, k));                                                                             \
      for (int i = k + 1; i < matrix.tiles; i++) {                                                 \
        PRAGMA(omp task TIE)                                                                       \
        trsm(at(k, k), at(i, k));                                                                  \
      }                                                                                            \
      _Pragma("omp taskwait") for (int i = k + 1; i < matrix.tiles; i++) {                         \
        PRAGMA(omp task TIE)                                                                       \
        syrk(at(i, k), at(i, i));                                                                  \
        for (int j = k + 1; j < i; j++) {                                                          \
          PRAGMA(omp task TIE)                                                                     \
          gemm(at(i, k), at(j, k), at(i, j));                                                      \
        }                                                                                          \
      }                                                                                            \
      _Pragma("omp taskwait")                                                                      \
    }                                                                                              \
  }                                                                                                \
  static void run_##NAME(void) { _Pragma("omp parallel") _Pragma("omp single") NAME(); }

DEPEND(depend_tied, )
DEPEND(depend_untied, untied)
TASKWAIT(taskwait_tied, )
TASKWAIT(taskwait_untied, untied)

static const Variant kVariants[] = {
    {"depend-tied", "tied tasks, ordered by dependences", run_depend_tied},
    {"depend-untied", "untied tasks, ordered by dependences", run_depend_untied},
    {"taskwait-tied", "tied tasks, ordered by waiting twice in each step", run_taskwait_tied},
    {"taskwait-untied", "untied tasks, ordered by waiting twice in each step", run_taskwait_untied},
    {"serial", "no OpenMP", serial},
    {},
};

// Paper 4 gives no sizes, but says that its workload makes millions of tasks: `paper` makes 2.8.
static const Parameter kParameters[] = {
    {"n", "rows of the matrix", kInteger, &order, {"128", "1024", "4096", "8192"}, 1, 1 << 17},
    {"tile", "rows of a tile; divides n", kInteger, &tile, {"16", "32", "64", "32"}, 1, 1 << 17},
    {"seed", "of the matrix", kInteger, &seed, {"1", "1", "1", "1"}, 0, 255},
    {},
};

static void prepare(void) {
  if (order % tile != 0)
    app_reject("--tile %ld does not divide --n %ld", tile, order);
  if (!matrix_draw(&matrix, (int)order, (int)tile, seed))
    app_reject("there is not so much memory as a matrix of --n %ld needs", order);
}

static uint64_t count_tasks(void) {
  if (app_variant_has("serial"))
    return 0;
  uint64_t n = (uint64_t)matrix.tiles;
  uint64_t potrfs = app_variant_has("depend") ? n : 0; // taskwait: in the task that waits
  return potrfs + n * (n - 1) + n * (n - 1) * (n - 2) / 6;
}

// A factor is as good as rounding lets it be if it is a small multiple of the unit away. Matrices
// of `paper` are not factorised again: that takes longer than the run.
static int check(void) {
  double n = (double)order;
  app_tasks(count_tasks());
  double residual = matrix_residual(&matrix, seed);
  app_note("gflops=%.3f residual=%.3g", n * n * n / 3 / app_seconds() / 1e9, residual);
  if (failed || !(residual < 10))
    return 0;
  if (order > 4096)
    return 1;
  double difference = matrix_difference(&matrix, seed);
  app_note("difference=%.3g", difference);
  return difference < 10;
}

int main(int argc, char** argv) {
  static const App app = {
      "cholesky", "Tiled Cholesky factorisation", kVariants, kParameters, prepare, check};
  return app_main(&app, argc, argv);
}
