// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "matrix.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

// The finalizer of splitmix64 (Steele, Lea, Flood, OOPSLA 2014), as a number from -1 to 1.
static double draw(uint64_t seed, uint64_t row, uint64_t column) {
  uint64_t bits = (seed << 56) + (row << 28) + column + 0x9e3779b97f4a7c15;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  bits ^= bits >> 31;
  return (double)(bits >> 11) * 0x1p-52 - 1;
}

// Element of the matrix. The diagonal outweighs the rest of its row, so the matrix is positive
// definite.
static double drawn(int order, long seed, int row, int column) {
  if (row == column)
    return order + 1;
  return row > column ? draw((uint64_t)seed, (uint64_t)row, (uint64_t)column)
                      : draw((uint64_t)seed, (uint64_t)column, (uint64_t)row);
}

static double* at(const Matrix* matrix, int row, int column) {
  int tile = matrix->tile;
  return matrix_tile(matrix, row / tile, column / tile) + column % tile * tile + row % tile;
}

int matrix_draw(Matrix* matrix, int order, int tile, long seed) {
  *matrix = (Matrix){.order = order, .tile = tile, .tiles = order / tile};
  uint64_t kept = (uint64_t)matrix->tiles * (matrix->tiles + 1) / 2;
  matrix->element = malloc(kept * tile * tile * sizeof *matrix->element);
  if (matrix->element == NULL)
    return 0;
  for (int column = 0; column < order; column++) // the diagonal tiles whole
    for (int row = column / tile * tile; row < order; row++)
      *at(matrix, row, column) = drawn(order, seed, row, column);
  return 1;
}

double matrix_residual(const Matrix* factor, long seed) {
  int order = factor->order;
  double* x = malloc(3 * order * sizeof *x);
  double* y = x + order; // L' x
  double* z = y + order; // A x - L L' x
  double largest_x = 0, norm = 0, largest_z = 0;
  for (int i = 0; i < order; i++) {
    x[i] = draw((uint64_t)seed, (uint64_t)order, (uint64_t)i);
    largest_x = fmax(largest_x, fabs(x[i]));
    y[i] = 0;
  }
  for (int i = 0; i < order; i++)
    for (int j = 0; j <= i; j++)
      y[j] += *at(factor, i, j) * x[i];
  for (int i = 0; i < order; i++) {
    double row = 0;
    z[i] = 0;
    for (int j = 0; j < order; j++) {
      double element = drawn(order, seed, i, j);
      row += fabs(element);
      z[i] += element * x[j];
      if (j <= i)
        z[i] -= *at(factor, i, j) * y[j];
    }
    norm = fmax(norm, row);
    largest_z = fmax(largest_z, fabs(z[i]));
    if (isnan(z[i]))
      largest_z = INFINITY;
  }
  free(x);
  return largest_z / (DBL_EPSILON * order * norm * largest_x);
}

double matrix_difference(const Matrix* factor, long seed) {
  int order = factor->order, info;
  double* whole = malloc((uint64_t)order * order * sizeof *whole);
  for (int column = 0; column < order; column++)
    for (int row = 0; row < order; row++)
      whole[(uint64_t)column * order + row] = drawn(order, seed, row, column);
  dpotrf_("L", &order, whole, &order, &info);
  double largest = 0, difference = info == 0 ? 0 : INFINITY;
  for (int column = 0; column < order; column++)
    for (int row = column; row < order; row++) {
      double expected = whole[(uint64_t)column * order + row];
      double distance = fabs(expected - *at(factor, row, column));
      largest = fmax(largest, fabs(expected));
      difference = isnan(distance) ? INFINITY : fmax(difference, distance);
    }
  free(whole);
  return difference / (DBL_EPSILON * order * largest);
}
