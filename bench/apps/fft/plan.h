// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The recursive Cooley-Tukey transform of n points: how it is split into levels, the factors of
// each level, and the serial steps that the variants make tasks of.
//
// A level of radix r turns its n points into r transforms of m = n / r points:
//   gather    out[k * m + j] = in[j * r + k] puts what each transform works on side by side
//   transform each of the r, from out to in, which is no longer needed
//   combine   for each j, the r points in[k * m + j], each turned by its factor, to r points of out
#ifndef XOMP_BENCH_FFT_PLAN_H
#define XOMP_BENCH_FFT_PLAN_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  double re, im;
} Complex;

typedef struct {
  long size;
  int radix;
  long part;       // size / radix, the size of the next level
  Complex* factor; // exp(-2 pi i j k / size) at j * (radix - 1) + k - 1, for k from 1
} Level;

// The levels of a transform of n points; NULL if there is no memory, or if n has other prime
// factors than 2, 3 and 5.
const Level* make_plan(long n);

// Whether n has only these factors.
int has_plan(long n);

void gather(const Level* level, const Complex* in, Complex* out, long low, long high);
void combine(const Level* level, const Complex* in, Complex* out, long low, long high);

// The whole transform of a level, serially. Overwrites `in`.
void transform(const Level* level, Complex* in, Complex* out);

#ifdef __cplusplus
}
#endif

#endif
