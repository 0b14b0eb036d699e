// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A symmetric positive definite matrix, of which the tiles on and below the diagonal are kept, and
// the check of its Cholesky factor. The tiles and LAPACK's matrices are in column-major order.
#ifndef XOMP_BENCH_MATRIX_H
#define XOMP_BENCH_MATRIX_H

typedef struct {
  int order, tile; // tile divides order
  int tiles;       // in a row
  double* element;
} Matrix;

// Fortran's interface, which every BLAS and LAPACK has in common. The BLAS must bear calls of
// several threads at once and start none itself: BLIS without threads does; OpenBLAS without
// threads, as Debian builds it, gives wrong results.
void dpotrf_(const char* part, const int* n, double* a, const int* lda, int* info);
void dtrsm_(const char* side, const char* part, const char* transposed, const char* diagonal,
            const int* m, const int* n, const double* alpha, const double* a, const int* lda,
            double* b, const int* ldb);
void dsyrk_(const char* part, const char* transposed, const int* n, const int* k,
            const double* alpha, const double* a, const int* lda, const double* beta, double* c,
            const int* ldc);
void dgemm_(const char* transposed_a, const char* transposed_b, const int* m, const int* n,
            const int* k, const double* alpha, const double* a, const int* lda, const double* b,
            const int* ldb, const double* beta, double* c, const int* ldc);

// The same matrix for the same seed, whatever the tile. Returns whether there was memory for it.
int matrix_draw(Matrix* matrix, int order, int tile, long seed);

static inline double* matrix_tile(const Matrix* matrix, int row, int column) {
  long index = (long)row * (row + 1) / 2 + column;
  return matrix->element + index * matrix->tile * matrix->tile;
}

// How far L L' x is from A x for a drawn x, in units of rounding: |L L' x - A x| / (eps n |A| |x|)
// with maximum norms. A is drawn again.
double matrix_residual(const Matrix* factor, long seed);

// The largest difference from LAPACK's factor of the whole matrix, in units of rounding of the
// largest element times the order.
double matrix_difference(const Matrix* factor, long seed);

#endif
