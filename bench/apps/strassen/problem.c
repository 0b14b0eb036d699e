// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "problem.h"

#include <stdlib.h>

long n, block, cutoff;
double *a, *b, *c;

// Paper 1 section VI has 8192 with blocks of 16 (2048 in its sweeps, 4096 in section VIII); papers
// 3 and 5 have 8192 with the suite's default, blocks of 64. The cut-off is the suite's default,
// too.
const Parameter kParameters[] = {
    {"n", "size of the matrices", kInteger, &n, {"256", "1024", "2048", "8192"}, 1, 65536},
    {"block",
     "largest size that is multiplied classically",
     kInteger,
     &block,
     {"16", "16", "16", "16"},
     1,
     65536},
    {"cutoff",
     "levels with tasks in the -if and -manual variants",
     kInteger,
     &cutoff,
     {"3", "3", "3", "3"},
     0,
     32},
    {0},
};

void serial(Matrix x, Matrix y, Matrix z, size_t size) {
  if ((long)size <= block) {
    multiply_classical(x, y, z, size);
    return;
  }
  Level level;
  begin_level(&level, x, y, z, size / 2);
  for (int i = 0; i < kProducts; i++)
    serial(level.left[i], level.right[i], level.result[i], size / 2);
  end_level(&level, z, size / 2);
}

enum { kLargest = 4, kRounds = 4 };

static uint64_t state = 88172645463325252;

// Xorshift (Marsaglia 2003).
static uint64_t draw(void) {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

// Entries are small integers, so that every sum is exact and the check needs no tolerance: a
// level's sums are at most 4 times as large as their terms, and its quarters half as large, so that
// after all levels a sum of 4 products is at most 4 n 8^levels times as large as a product of
// entries.
void prepare(void) {
  double bound = 4.0 * kLargest * kLargest * (double)n;
  for (long size = n; size > block; size /= 2, bound *= 8)
    if (size % 2 != 0)
      app_reject("--n must come to --block, %ld, or less by halving, not %ld", block, n);
  if (bound > 0x1p53)
    app_reject("--block %ld is too small for --n %ld: sums could be inexact", block, n);
  a = malloc(n * n * sizeof *a);
  b = malloc(n * n * sizeof *b);
  c = calloc(n * n, sizeof *c);
  if (a == NULL || b == NULL || c == NULL)
    app_reject("no memory for three matrices of %ld x %ld", n, n);
  for (long i = 0; i < n * n; i++) {
    a[i] = (double)(draw() % (2 * kLargest + 1)) - kLargest;
    b[i] = (double)(draw() % (2 * kLargest + 1)) - kLargest;
  }
}

static uint64_t tasks_of(long size, int depth) {
  if (size <= block || (app_variant_has("manual") && depth >= cutoff))
    return 0;
  return kProducts * (1 + tasks_of(size / 2, depth + 1));
}

static void apply(const double* matrix, const double* vector, double* result) {
  for (long i = 0; i < n; i++) {
    double sum = 0;
    for (long j = 0; j < n; j++)
      sum += matrix[i * n + j] * vector[j];
    result[i] = sum;
  }
}

// Freivalds' check: C r = A (B r) for random vectors r. With entries from 0 to 255 a wrong product
// passes a round with a probability of at most 1/256.
int check(void) {
  app_tasks(app_variant_has("serial") ? 0 : tasks_of(n, 0));
  double* vector = malloc(4 * n * sizeof *vector);
  if (vector == NULL)
    app_reject("no memory for the check");
  double *by_b = vector + n, *by_ab = by_b + n, *by_c = by_ab + n;
  int right = 1;
  for (int round = 0; round < kRounds && right; round++) {
    for (long i = 0; i < n; i++)
      vector[i] = (double)(draw() % 256);
    apply(b, vector, by_b);
    apply(a, by_b, by_ab);
    apply(c, vector, by_c);
    for (long i = 0; i < n; i++)
      right &= by_ab[i] == by_c[i];
  }
  free(vector);
  return right;
}
