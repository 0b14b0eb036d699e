// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SparseLU: the LU factorisation of a sparse matrix of dense blocks, as in the Barcelona suite
// (BOTS). `single` has one thread make all tasks, `for` shares the loops that make them; `depend`
// replaces the waits between the phases by dependences. Papers 3 (section 2) and 5 (section 4)
// factorise 100 x 100 blocks of 100 x 100 elements.
#include "matrix.h"

#include "../../frame/app.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static Matrix matrix;
static long seed;

static float* at(long row, long column) { return *matrix_at(&matrix, row, column); }

static void forward(long k, long j) { block_forward(at(k, k), at(k, j), matrix.size); }

static void divide(long k, long i) { block_divide(at(k, k), at(i, k), matrix.size); }

static void fill_in(long i, long j) {
  if (at(i, j) == NULL)
    *matrix_at(&matrix, i, j) = matrix_empty_block(matrix.size);
}

static void update(long k, long i, long j) {
  fill_in(i, j);
  block_update(at(i, k), at(k, j), at(i, j), matrix.size);
}

// One function per variant: whether a task is tied is fixed when it is compiled.
#define SINGLE(NAME, TASK)                                                                         \
  static void NAME(void) {                                                                         \
    _Pragma("omp parallel") _Pragma("omp single") for (long k = 0; k < matrix.blocks; k++) {       \
      block_factor(at(k, k), matrix.size);                                                         \
      for (long j = k + 1; j < matrix.blocks; j++)                                                 \
        if (at(k, j)) {                                                                            \
          _Pragma(TASK) forward(k, j);                                                             \
        }                                                                                          \
      for (long i = k + 1; i < matrix.blocks; i++)                                                 \
        if (at(i, k)) {                                                                            \
          _Pragma(TASK) divide(k, i);                                                              \
        }                                                                                          \
      _Pragma("omp taskwait") for (long i = k + 1; i < matrix.blocks; i++) if (at(i, k)) {         \
        for (long j = k + 1; j < matrix.blocks; j++)                                               \
          if (at(k, j)) {                                                                          \
            _Pragma(TASK) update(k, i, j);                                                         \
          }                                                                                        \
      }                                                                                            \
      _Pragma("omp taskwait")                                                                      \
    }                                                                                              \
  }

// The barriers at the ends of the loops wait for the tasks.
#define FOR(NAME, TASK)                                                                            \
  static void NAME(void) {                                                                         \
    _Pragma("omp parallel") for (long k = 0; k < matrix.blocks; k++) {                             \
      _Pragma("omp single") block_factor(at(k, k), matrix.size);                                   \
      _Pragma("omp for nowait") for (long j = k + 1; j < matrix.blocks; j++) if (at(k, j)) {       \
        _Pragma(TASK) forward(k, j);                                                               \
      }                                                                                            \
      _Pragma("omp for") for (long i = k + 1; i < matrix.blocks; i++) if (at(i, k)) {              \
        _Pragma(TASK) divide(k, i);                                                                \
      }                                                                                            \
      _Pragma("omp for") for (long i = k + 1; i < matrix.blocks; i++) if (at(i, k)) {              \
        for (long j = k + 1; j < matrix.blocks; j++)                                               \
          if (at(k, j)) {                                                                          \
            _Pragma(TASK) update(k, i, j);                                                         \
          }                                                                                        \
      }                                                                                            \
    }                                                                                              \
  }

SINGLE(single_tied, "omp task")
SINGLE(single_untied, "omp task untied")
FOR(for_tied, "omp task")
FOR(for_untied, "omp task untied")

// Blocks are filled in when the task is made: dependences name memory that must be there.
static void depend(void) {
#pragma omp parallel
#pragma omp single
  for (long k = 0; k < matrix.blocks; k++) {
    float* diagonal = at(k, k);
#pragma omp task depend(inout : *diagonal)
    block_factor(diagonal, matrix.size);
    for (long j = k + 1; j < matrix.blocks; j++) {
      float* right = at(k, j);
      if (right == NULL)
        continue;
#pragma omp task depend(in : *diagonal) depend(inout : *right)
      block_forward(diagonal, right, matrix.size);
    }
    for (long i = k + 1; i < matrix.blocks; i++) {
      float* below = at(i, k);
      if (below == NULL)
        continue;
#pragma omp task depend(in : *diagonal) depend(inout : *below)
      block_divide(diagonal, below, matrix.size);
      for (long j = k + 1; j < matrix.blocks; j++) {
        float* right = at(k, j);
        if (right == NULL)
          continue;
        fill_in(i, j);
        float* inner = at(i, j);
#pragma omp task depend(in : *below, *right) depend(inout : *inner)
        block_update(below, right, inner, matrix.size);
      }
    }
  }
}

static void serial(void) {
  for (long k = 0; k < matrix.blocks; k++) {
    block_factor(at(k, k), matrix.size);
    for (long j = k + 1; j < matrix.blocks; j++)
      if (at(k, j))
        forward(k, j);
    for (long i = k + 1; i < matrix.blocks; i++) {
      if (at(i, k) == NULL)
        continue;
      divide(k, i);
      for (long j = k + 1; j < matrix.blocks; j++)
        if (at(k, j))
          update(k, i, j);
    }
  }
}

static void prepare(void) {
  matrix.seed = (uint64_t)seed;
  matrix_draw(&matrix);
}

// Block operations other than those on the diagonal: the factors' blocks tell them. With
// dependences the diagonal's are tasks too.
static uint64_t tasks(void) {
  if (strcmp(app_variant(), "serial") == 0)
    return 0;
  uint64_t sum = strcmp(app_variant(), "depend") == 0 ? (uint64_t)matrix.blocks : 0;
  for (long k = 0; k < matrix.blocks; k++) {
    uint64_t right = 0, below = 0;
    for (long i = k + 1; i < matrix.blocks; i++) {
      right += at(k, i) != NULL;
      below += at(i, k) != NULL;
    }
    sum += right + below + right * below;
  }
  return sum;
}

// result += block * vector. On the diagonal the triangle says which elements count; a block of the
// original matrix is drawn again.
static void multiply(long row, long column, int triangle, const double* vector, double* result) {
  long size = matrix.size;
  const float* block = triangle != 0 ? at(row, column) : NULL;
  for (long i = 0; i < size; i++) {
    double sum = 0;
    for (long j = 0; j < size; j++) {
      int inside = row != column || triangle == 0 || (triangle < 0 ? j < i : j >= i);
      double element = !inside ? 0
                       : block ? block[i * size + j]
                               : matrix_element(&matrix, row * size + i, column * size + j);
      sum += element * vector[column * size + j];
    }
    result[row * size + i] += sum;
  }
}

// The original matrix (0), the strict lower (-1) or the upper (1) triangle times a vector.
static void multiply_all(int triangle, const double* vector, double* result) {
  for (long i = 0; i < matrix.blocks; i++)
    for (long j = 0; j < matrix.blocks; j++)
      if (triangle == 0 ? matrix_present(i, j) : at(i, j) && (triangle < 0 ? j <= i : j >= i))
        multiply(i, j, triangle, vector, result);
}

// The largest component of L (U x) - A x, relative to the diagonal, for a vector of ones and minus
// ones. A forgotten update of a block shows as 1e-3, single precision as 4e-6 at size paper.
static double residual(void) {
  long order = matrix.blocks * matrix.size;
  double* x = calloc((size_t)order * 3, sizeof *x);
  if (x == NULL)
    app_reject("out of memory for the check");
  double *product = x + order, *upper = x + 2 * order, largest = 0;
  for (long i = 0; i < order; i++)
    x[i] = matrix_element(&matrix, i, order + i + 1) < 0 ? -1 : 1;
  multiply_all(1, x, upper);
  for (long i = 0; i < order; i++)
    product[i] = -upper[i];
  multiply_all(0, x, product);
  for (long i = 0; i < order; i++)
    product[i] = -product[i];
  multiply_all(-1, upper, product);
  for (long i = 0; i < order; i++)
    largest = fmax(largest, fabs(product[i]));
  free(x);
  return largest / (4 * sqrt((double)order));
}

// By the residual, and where it is quick also bit by bit against the serial factorisation, which
// does the same operations on each block in the same order.
static int check(void) {
  app_tasks(tasks());
  double error = residual();
  app_note("residual=%.2e", error);
  int ok = error < 1e-4;
  if (app_size() > kSmall)
    return ok;
  Matrix got = matrix;
  matrix_draw(&matrix);
  serial();
  ok = ok && matrix_same(&got, &matrix);
  matrix_free(&got);
  return ok;
}

static const Variant kVariants[] = {
    {"single-tied", "one thread makes tied tasks", single_tied},
    {"single-untied", "one thread makes untied tasks", single_untied},
    {"for-tied", "shared loops make tied tasks", for_tied},
    {"for-untied", "shared loops make untied tasks", for_untied},
    {"depend", "one thread makes tasks with dependences", depend},
    {"serial", "no OpenMP", serial},
    {0},
};

static const Parameter kParameters[] = {
    {"blocks",
     "rows and columns of blocks",
     kInteger,
     &matrix.blocks,
     {"10", "20", "50", "100"},
     1,
     1000},
    {"block-size",
     "rows and columns of a block",
     kInteger,
     &matrix.size,
     {"20", "50", "50", "100"},
     1,
     1000},
    {"seed", "of the matrix", kInteger, &seed, {"1", "1", "1", "1"}, 0, 1e9},
    {0},
};

int main(int argc, char** argv) {
  static const App app = {"sparselu", "LU factorisation of a sparse blocked matrix",
                          kVariants,  kParameters,
                          prepare,    check};
  return app_main(&app, argc, argv);
}
