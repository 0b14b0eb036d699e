// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A sparse matrix of dense square blocks, and the four operations on blocks that make an LU
// factorisation without pivoting.
#ifndef XOMP_BENCH_SPARSELU_MATRIX_H
#define XOMP_BENCH_SPARSELU_MATRIX_H

#include <stdint.h>

typedef struct {
  long blocks, size; // blocks x blocks of size x size elements
  uint64_t seed;
  float** block; // row by row, each block's elements row by row; NULL where all are zero
} Matrix;

void matrix_draw(Matrix* matrix);
void matrix_free(Matrix* matrix);
int matrix_present(long row, long column); // whether a drawn matrix has that block
double matrix_element(const Matrix* matrix, long row, long column); // of a drawn matrix
float* matrix_empty_block(long size);
int matrix_same(const Matrix* a, const Matrix* b);

static inline float** matrix_at(const Matrix* matrix, long row, long column) {
  return &matrix->block[row * matrix->blocks + column];
}

void block_factor(float* diagonal, long size);                      // into L and U, in place
void block_forward(const float* diagonal, float* right, long size); // right = inverse(L) right
void block_divide(const float* diagonal, float* below, long size);  // below = below inverse(U)
void block_update(const float* below, const float* right, float* inner, long size);

#endif
