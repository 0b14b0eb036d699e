// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "matrix.h"

#include "../../frame/app.h"

#include <stdlib.h>

enum { kSums = 8, kApart = 3 }; // sums that are factors, and products that lie apart from C

static Matrix quarter(Matrix whole, size_t half, int row, int column) {
  return (Matrix){whole.at + row * half * whole.stride + column * half, whole.stride};
}

void multiply_classical(Matrix a, Matrix b, Matrix c, size_t size) {
  for (size_t i = 0; i < size; i++) {
    double* restrict row = c.at + i * c.stride;
    for (size_t j = 0; j < size; j++)
      row[j] = 0;
    for (size_t k = 0; k < size; k++) {
      double factor = a.at[i * a.stride + k];
      const double* restrict other = b.at + k * b.stride;
#pragma omp simd
      for (size_t j = 0; j < size; j++)
        row[j] += factor * other[j];
    }
  }
}

// S1 to S4 of A and T1 to T4 of B, with the names of Winograd's form as in Higham, "Accuracy and
// Stability of Numerical Algorithms", section 23.1.
static void form_sums(Matrix a, Matrix b, double* room, size_t half) {
  Matrix a11 = quarter(a, half, 0, 0), a12 = quarter(a, half, 0, 1);
  Matrix a21 = quarter(a, half, 1, 0), a22 = quarter(a, half, 1, 1);
  Matrix b11 = quarter(b, half, 0, 0), b12 = quarter(b, half, 0, 1);
  Matrix b21 = quarter(b, half, 1, 0), b22 = quarter(b, half, 1, 1);
  size_t area = half * half;
  for (size_t i = 0; i < half; i++) {
    size_t in_a = i * a.stride, in_b = i * b.stride;
    double* restrict sum = room + i * half;
#pragma omp simd
    for (size_t j = 0; j < half; j++) {
      double s1 = a21.at[in_a + j] + a22.at[in_a + j];
      double s2 = s1 - a11.at[in_a + j];
      double t1 = b12.at[in_b + j] - b11.at[in_b + j];
      double t2 = b22.at[in_b + j] - t1;
      sum[j] = s1;
      sum[area + j] = s2;
      sum[2 * area + j] = a11.at[in_a + j] - a21.at[in_a + j];
      sum[3 * area + j] = a12.at[in_a + j] - s2;
      sum[4 * area + j] = t1;
      sum[5 * area + j] = t2;
      sum[6 * area + j] = b22.at[in_b + j] - b12.at[in_b + j];
      sum[7 * area + j] = t2 - b21.at[in_b + j];
    }
  }
}

void begin_level(Level* level, Matrix a, Matrix b, Matrix c, size_t half) {
  size_t area = half * half;
  level->room = malloc((kSums + kApart) * area * sizeof *level->room);
  if (level->room == NULL)
    app_reject("no memory for the sums of %zu x %zu quarters", half, half);
  form_sums(a, b, level->room, half);
  Matrix own[kSums + kApart];
  for (int i = 0; i < kSums + kApart; i++)
    own[i] = (Matrix){level->room + i * area, half};
  const Matrix *s = own, *t = own + 4, *apart = own + kSums;
  Matrix left[] = {quarter(a, half, 0, 0), quarter(a, half, 0, 1), s[0], s[1], s[2], s[3],
                   quarter(a, half, 1, 1)};
  Matrix right[] = {quarter(b, half, 0, 0),
                    quarter(b, half, 1, 0),
                    t[0],
                    t[1],
                    t[2],
                    quarter(b, half, 1, 1),
                    t[3]};
  Matrix result[] = {apart[0], quarter(c, half, 0, 0), quarter(c, half, 1, 1), apart[1],
                     apart[2], quarter(c, half, 0, 1), quarter(c, half, 1, 0)};
  for (int i = 0; i < kProducts; i++) {
    level->left[i] = left[i];
    level->right[i] = right[i];
    level->result[i] = result[i];
  }
}

void end_level(Level* level, Matrix c, size_t half) {
  for (size_t i = 0; i < half; i++) {
    const double* restrict first = level->result[0].at + i * half;  // A11 B11
    const double* restrict fourth = level->result[3].at + i * half; // S2 T2
    const double* restrict fifth = level->result[4].at + i * half;  // S3 T3
    double* restrict c11 = c.at + i * c.stride;                     // A12 B21
    double* restrict c12 = c11 + half;                              // S4 B22
    double* restrict c21 = c11 + half * c.stride;                   // A22 T4
    double* restrict c22 = c21 + half;                              // S1 T1
#pragma omp simd
    for (size_t j = 0; j < half; j++) {
      double u2 = first[j] + fourth[j];
      double u3 = u2 + fifth[j];
      c11[j] += first[j];
      c12[j] += u2 + c22[j];
      c21[j] = u3 - c21[j];
      c22[j] += u3;
    }
  }
  free(level->room);
}
