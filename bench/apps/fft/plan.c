// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plan.h"

#include <math.h>
#include <stdlib.h>

enum { kLargestRadix = 8, kMostLevels = 64, kFine = 1 << 12 };

static const int kRadices[] = {8, 4, 2, 5, 3}; // in the order of preference

static int radix_for(long n) {
  for (unsigned i = 0; i < sizeof kRadices / sizeof *kRadices; i++)
    if (n % kRadices[i] == 0)
      return kRadices[i];
  return 0;
}

int has_plan(long n) {
  while (n > 1 && radix_for(n) != 0)
    n /= radix_for(n);
  return n == 1;
}

static inline Complex multiply(Complex a, Complex b) {
  return (Complex){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static inline Complex add(Complex a, Complex b) { return (Complex){a.re + b.re, a.im + b.im}; }

static inline Complex subtract(Complex a, Complex b) { return (Complex){a.re - b.re, a.im - b.im}; }

// exp(-2 pi i index / order)
static Complex root(long index, long order) {
  double angle = -2 * acos(-1.0) * (double)index / (double)order;
  return (Complex){cos(angle), sin(angle)};
}

// A root for each factor would cost more than the transform: each is the product of two of a table.
static int make_factors(Level* level) {
  long coarse_count = level->size / kFine + 1;
  Complex* fine = malloc(kFine * sizeof *fine);
  Complex* coarse = malloc(coarse_count * sizeof *coarse);
  level->factor = malloc(level->part * (level->radix - 1) * sizeof *level->factor);
  int ok = fine != NULL && coarse != NULL && level->factor != NULL;
  if (ok) {
    for (long i = 0; i < kFine; i++)
      fine[i] = root(i, level->size);
    for (long i = 0; i < coarse_count; i++)
      coarse[i] = root(i * kFine, level->size);
    Complex* next = level->factor;
    for (long j = 0; j < level->part; j++)
      for (int k = 1; k < level->radix; k++)
        *next++ = multiply(coarse[j * k / kFine], fine[j * k % kFine]);
  }
  free(fine);
  free(coarse);
  return ok;
}

const Level* make_plan(long n) {
  static Level level[kMostLevels];
  if (!has_plan(n))
    return NULL;
  for (Level* each = level;; each++) {
    each->size = n;
    each->radix = n == 1 ? 1 : radix_for(n);
    each->part = n / each->radix;
    if (n == 1)
      return level;
    if (!make_factors(each))
      return NULL;
    n = each->part;
  }
}

// Transforms of a few points, in place.
static inline void points2(Complex* v) {
  Complex sum = add(v[0], v[1]);
  v[1] = subtract(v[0], v[1]);
  v[0] = sum;
}

static inline void points4(Complex* v) {
  Complex a = add(v[0], v[2]), b = subtract(v[0], v[2]);
  Complex c = add(v[1], v[3]), d = subtract(v[1], v[3]);
  Complex turned = {d.im, -d.re}; // -i d
  v[0] = add(a, c);
  v[1] = add(b, turned);
  v[2] = subtract(a, c);
  v[3] = subtract(b, turned);
}

static inline void points8(Complex* v) {
  const double half = 0.70710678118654752440; // sqrt(1/2)
  Complex even[4] = {v[0], v[2], v[4], v[6]}, odd[4] = {v[1], v[3], v[5], v[7]};
  points4(even);
  points4(odd);
  Complex turned[4] = {
      odd[0],
      {half * (odd[1].re + odd[1].im), half * (odd[1].im - odd[1].re)},
      {odd[2].im, -odd[2].re},
      {half * (odd[3].im - odd[3].re), -half * (odd[3].re + odd[3].im)},
  };
  for (int k = 0; k < 4; k++) {
    v[k] = add(even[k], turned[k]);
    v[k + 4] = subtract(even[k], turned[k]);
  }
}

// Of an odd number of points: by definition, with the cosines and sines of the multiples of a turn.
static inline void points_odd(Complex* v, int count, const double* cosine, const double* sine) {
  Complex result[kLargestRadix];
  for (int k = 0; k < count; k++) {
    result[k] = v[0];
    for (int j = 1; j < count; j++) {
      int turn = j * k % count;
      result[k] = add(result[k], multiply(v[j], (Complex){cosine[turn], -sine[turn]}));
    }
  }
  for (int k = 0; k < count; k++)
    v[k] = result[k];
}

static inline void points3(Complex* v) {
  static const double cosine[] = {1, -0.5, -0.5};
  static const double sine[] = {0, 0.86602540378443864676, -0.86602540378443864676};
  points_odd(v, 3, cosine, sine);
}

static inline void points5(Complex* v) {
  static const double cosine[] = {1, 0.30901699437494742410, -0.80901699437494742410,
                                  -0.80901699437494742410, 0.30901699437494742410};
  static const double sine[] = {0, 0.95105651629515357212, 0.58778525229247312917,
                                -0.58778525229247312917, -0.95105651629515357212};
  points_odd(v, 5, cosine, sine);
}

// Inlined, so that radix and points are known where it is compiled.
static inline __attribute__((always_inline)) void combine_by(const Level* level, const Complex* in,
                                                             Complex* out, long low, long high,
                                                             int radix, void (*points)(Complex*)) {
  long part = level->part;
  const Complex* factor = level->factor + low * (radix - 1);
  for (long j = low; j < high; j++, factor += radix - 1) {
    Complex v[kLargestRadix];
    v[0] = in[j];
    for (int k = 1; k < radix; k++)
      v[k] = multiply(in[k * part + j], factor[k - 1]);
    points(v);
    for (int k = 0; k < radix; k++)
      out[k * part + j] = v[k];
  }
}

void combine(const Level* level, const Complex* in, Complex* out, long low, long high) {
  switch (level->radix) {
  case 2:
    combine_by(level, in, out, low, high, 2, points2);
    break;
  case 3:
    combine_by(level, in, out, low, high, 3, points3);
    break;
  case 4:
    combine_by(level, in, out, low, high, 4, points4);
    break;
  case 5:
    combine_by(level, in, out, low, high, 5, points5);
    break;
  case 8:
    combine_by(level, in, out, low, high, 8, points8);
    break;
  }
}

void gather(const Level* level, const Complex* in, Complex* out, long low, long high) {
  int radix = level->radix;
  for (long j = low; j < high; j++)
    for (int k = 0; k < radix; k++)
      out[k * level->part + j] = in[j * radix + k];
}

void transform(const Level* level, Complex* in, Complex* out) {
  long part = level->part;
  if (part == 1) { // the radix is the size: there is nothing to gather
    combine(level, in, out, 0, 1);
    return;
  }
  gather(level, in, out, 0, part);
  for (int k = 0; k < level->radix; k++)
    transform(level + 1, out + k * part, in + k * part);
  combine(level, in, out, 0, part);
}
