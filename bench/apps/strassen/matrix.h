// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Square matrices of doubles that may be quarters of larger ones, and one level of Strassen's
// product in Winograd's form (7 products, 15 sums), apart from its products.
#ifndef XOMP_BENCH_STRASSEN_MATRIX_H
#define XOMP_BENCH_STRASSEN_MATRIX_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  double* at;
  size_t stride; // from a row to the next
} Matrix;

enum { kProducts = 7 };

// What the products of one level of C = A B read and write; the quarters of C serve as room, too.
typedef struct {
  Matrix left[kProducts], right[kProducts], result[kProducts];
  double* room;
} Level;

void multiply_classical(Matrix a, Matrix b, Matrix c, size_t size);

// Allocates the level's room and forms the sums that the products multiply; `half` is the size of a
// quarter. Ends the program with status 2 if there is no memory.
void begin_level(Level* level, Matrix a, Matrix b, Matrix c, size_t half);

// Forms C of the products and frees the room.
void end_level(Level* level, Matrix c, size_t half);

#ifdef __cplusplus
}
#endif

#endif
