// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "matrix.h"

#include "../../frame/app.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The pattern of the Barcelona suite: three diagonals, and every second row and column meet in a
// block if the nearer of the two is also a third one.
int matrix_present(long row, long column) {
  long nearer = row < column ? row : column;
  return labs(row - column) <= 1 || (row % 2 == 0 && column % 2 == 0 && nearer % 3 == 0);
}

// In [-1, 1), and on the diagonal a multiple of the square root of the order, so that the
// factorisation needs no pivots and yet every update matters. The finaliser is MurmurHash3's.
double matrix_element(const Matrix* matrix, long row, long column) {
  long order = matrix->blocks * matrix->size;
  uint64_t x = matrix->seed + (uint64_t)(row * order + column) * 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 33) * 0xff51afd7ed558ccdu;
  x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53u;
  double element = (double)((x ^ x >> 33) >> 11) * 0x1p-52 - 1;
  return (float)(row == column ? 4 * sqrt((double)order) + element : element);
}

float* matrix_empty_block(long size) {
  float* block = calloc((size_t)(size * size), sizeof *block);
  if (block == NULL)
    app_reject("out of memory for a block");
  return block;
}

void matrix_draw(Matrix* matrix) {
  long blocks = matrix->blocks, size = matrix->size;
  matrix->block = calloc((size_t)(blocks * blocks), sizeof *matrix->block);
  if (matrix->block == NULL)
    app_reject("out of memory for %ld x %ld blocks", blocks, blocks);
  for (long i = 0; i < blocks; i++)
    for (long j = 0; j < blocks; j++) {
      if (!matrix_present(i, j))
        continue;
      float* block = *matrix_at(matrix, i, j) = matrix_empty_block(size);
      for (long row = 0; row < size; row++)
        for (long column = 0; column < size; column++)
          block[row * size + column] =
              (float)matrix_element(matrix, i * size + row, j * size + column);
    }
}

void matrix_free(Matrix* matrix) {
  for (long i = 0; i < matrix->blocks * matrix->blocks; i++)
    free(matrix->block[i]);
  free(matrix->block);
}

int matrix_same(const Matrix* a, const Matrix* b) {
  for (long i = 0; i < a->blocks * a->blocks; i++)
    if ((a->block[i] == NULL) != (b->block[i] == NULL) ||
        (a->block[i] != NULL &&
         memcmp(a->block[i], b->block[i], (size_t)(a->size * a->size) * sizeof(float)) != 0))
      return 0;
  return 1;
}

// target[] -= factor * source[]
static void subtract(float* restrict target, const float* restrict source, float factor,
                     long count) {
  for (long i = 0; i < count; i++)
    target[i] -= factor * source[i];
}

void block_factor(float* diagonal, long size) {
  for (long k = 0; k < size; k++)
    for (long i = k + 1; i < size; i++) {
      float* row = diagonal + i * size;
      row[k] /= diagonal[k * size + k];
      subtract(row + k + 1, diagonal + k * size + k + 1, row[k], size - k - 1);
    }
}

void block_forward(const float* diagonal, float* right, long size) {
  for (long i = 1; i < size; i++)
    for (long k = 0; k < i; k++)
      subtract(right + i * size, right + k * size, diagonal[i * size + k], size);
}

void block_divide(const float* diagonal, float* below, long size) {
  for (long i = 0; i < size; i++) {
    float* row = below + i * size;
    for (long k = 0; k < size; k++) {
      row[k] /= diagonal[k * size + k];
      subtract(row + k + 1, diagonal + k * size + k + 1, row[k], size - k - 1);
    }
  }
}

void block_update(const float* below, const float* right, float* inner, long size) {
  for (long i = 0; i < size; i++)
    for (long k = 0; k < size; k++)
      subtract(inner + i * size, right + k * size, below[i * size + k], size);
}
