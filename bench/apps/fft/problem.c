// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "problem.h"

#include <math.h>
#include <stdlib.h>

long n, leaf, chunk;
const Level* plan;
Complex *input, *output;

// n: paper 1 section VI has 536M, 2^29 (268M in its sweeps); that takes 24 GiB.
const Parameter kParameters[] = {
    {"n",
     "points; a product of powers of 2, 3 and 5",
     kInteger,
     &n,
     {"65536", "2097152", "16777216", "536870912"},
     2,
     4294967296},
    {"leaf",
     "largest transform without tasks",
     kInteger,
     &leaf,
     {"32", "32", "32", "32"},
     1,
     4294967296},
    {"chunk", "turns of a loop in a task", kInteger, &chunk, {"128", "128", "128", "128"}, 1, 1e9},
    {0},
};

// The input is drawn by its index, so that the check need not keep it: real and imaginary part lie
// in [-1, 1). The mixing is SplitMix64's (Steele et al., OOPSLA 2014).
static double draw(uint64_t index) {
  uint64_t bits = index * 0x9e3779b97f4a7c15;
  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ bits >> 27) * 0x94d049bb133111eb;
  return (double)(int64_t)(bits ^ bits >> 31) / 9223372036854775808.0;
}

static Complex drawn(long index) {
  return (Complex){draw(2 * (uint64_t)index + 1), draw(2 * (uint64_t)index + 2)};
}

void prepare(void) {
  if (!has_plan(n))
    app_reject("--n must be a product of powers of 2, 3 and 5, not %ld", n);
  plan = make_plan(n);
  input = malloc(n * sizeof *input);
  output = malloc(n * sizeof *output);
  if (plan == NULL || input == NULL || output == NULL)
    app_reject("no memory for %ld points", n);
  for (long i = 0; i < n; i++) {
    input[i] = drawn(i);
    output[i] = (Complex){0, 0}; // so that the clock does not see the pages being made
  }
}

// Which tasks each step makes.
static uint64_t halves(long turns) {
  return turns <= chunk ? 0 : 2 + halves(turns / 2) + halves(turns - turns / 2);
}

static uint64_t tasks_of(const Level* level) {
  if (level->size <= leaf)
    return 0;
  return 2 * halves(level->part) + (uint64_t)level->radix * (1 + tasks_of(level + 1));
}

// Every output at once: with z = exp(2 pi i (s + 1/2) / n) for any integer s, the geometric series
// turns the sum over f of X[f] z^f into the sum over k of x[k] (1 + i cot(pi (s + 1/2 - k) / n)).
// Returns how far the sums are apart, per n.
static double difference(long s) {
  const double pi = acos(-1.0);
  long double re = 0, im = 0;
  for (long f = 0, turn = 0; f < n; f++, turn = (turn + 2 * s + 1) % (2 * n)) {
    double c = cos(pi * (double)turn / (double)n), d = sin(pi * (double)turn / (double)n);
    re += output[f].re * c - output[f].im * d;
    im += output[f].re * d + output[f].im * c;
  }
  for (long k = 0; k < n; k++) {
    // The cotangent's period is n; its argument is exact enough only near 0.
    long apart = s - k < -n / 2 ? s - k + n : s - k >= n / 2 ? s - k - n : s - k;
    double cotangent = 1 / tan(pi * ((double)apart + 0.5) / (double)n);
    Complex x = drawn(k);
    re -= x.re - x.im * cotangent;
    im -= x.im + x.re * cotangent;
  }
  return (double)hypotl(re, im) / (double)n;
}

// A single output that is wrong by its usual size, sqrt(n), moves the sum by that; rounding moves
// it by less than the tolerance times n.
int check(void) {
  app_tasks(app_variant_has("serial") ? 0 : tasks_of(plan));
  double tolerance = 4 * 2.2e-16 * (log2((double)n) + 1);
  double error = fmax(difference(n / 3), difference(n - 1));
  app_note("error=%.3g tolerance=%.3g", error, tolerance);
  return error <= tolerance;
}
