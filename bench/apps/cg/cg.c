// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conjugate gradients (Hestenes and Stiefel, 1952) on the sparse, symmetric matrix of a 27-point
// stencil in a cube, as finite elements give it: 26 for a point itself, -1 for each neighbour. An
// iteration multiplies by the matrix, takes two dot products, each of which all threads wait for,
// and updates three vectors. `regions` has a parallel region for each of these, `region` one region
// for a whole solution.
#include "../../frame/app.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static long side, solutions, rows;

// Compressed rows: row i's entries are first[i] .. first[i + 1] - 1.
static int32_t *first, *column;
static double* entry;

static double *known, *given, *found;          // A * known = given; `found` should become `known`
static double *residual, *direction, *image;   // image = A * direction
static double directed, length, length_before; // direction * image, residual^2, the one before
static long iterations;

static const double kReduction = 1e-10; // of the residual
static const long kMost = 10000;        // iterations of a solution, on average

static double multiply_row(long row, const double* vector) {
  double sum = 0;
  for (int32_t k = first[row]; k < first[row + 1]; k++)
    sum += entry[k] * vector[column[k]];
  return sum;
}

// Each part of an iteration for one row; those that return a number are summed over the rows.
static double begin_row(long row) {
  found[row] = 0;
  residual[row] = direction[row] = given[row];
  return residual[row] * residual[row];
}

static double project_row(long row) {
  image[row] = multiply_row(row, direction);
  return direction[row] * image[row];
}

static double advance_row(long row) {
  double along = length / directed;
  found[row] += along * direction[row];
  residual[row] -= along * image[row];
  return residual[row] * residual[row];
}

static void turn_row(long row) {
  direction[row] = residual[row] + length / length_before * direction[row];
}

static int far_from(double end) { return length > end && iterations < kMost * solutions; }

static void solve_serial(void) {
  length = 0;
  for (long row = 0; row < rows; row++)
    length += begin_row(row);
  for (double end = kReduction * kReduction * length; far_from(end); iterations++) {
    directed = 0;
    for (long row = 0; row < rows; row++)
      directed += project_row(row);
    double sum = 0;
    for (long row = 0; row < rows; row++)
      sum += advance_row(row);
    length_before = length;
    length = sum;
    for (long row = 0; row < rows; row++)
      turn_row(row);
  }
}

static void solve_by_regions(void) {
  length = 0;
#pragma omp parallel for reduction(+ : length)
  for (long row = 0; row < rows; row++)
    length += begin_row(row);
  for (double end = kReduction * kReduction * length; far_from(end); iterations++) {
    directed = 0;
#pragma omp parallel for reduction(+ : directed)
    for (long row = 0; row < rows; row++)
      directed += project_row(row);
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (long row = 0; row < rows; row++)
      sum += advance_row(row);
    length_before = length;
    length = sum;
#pragma omp parallel for
    for (long row = 0; row < rows; row++)
      turn_row(row);
  }
}

static void solve_in_region(void) {
  double sum = 0, end = 0;
#pragma omp parallel
  {
#pragma omp for reduction(+ : sum)
    for (long row = 0; row < rows; row++)
      sum += begin_row(row);
#pragma omp single
    {
      length = sum;
      end = kReduction * kReduction * length;
      sum = directed = 0;
    }
    while (far_from(end)) {
#pragma omp for reduction(+ : directed)
      for (long row = 0; row < rows; row++)
        directed += project_row(row);
#pragma omp for reduction(+ : sum)
      for (long row = 0; row < rows; row++)
        sum += advance_row(row);
#pragma omp single
      {
        length_before = length;
        length = sum;
        sum = directed = 0;
        iterations++;
      }
#pragma omp for
      for (long row = 0; row < rows; row++)
        turn_row(row);
    }
  }
}

static void solve_all(void (*solve)(void)) {
  for (long i = 0; i < solutions; i++)
    solve();
}

static void run_regions(void) { solve_all(solve_by_regions); }
static void run_region(void) { solve_all(solve_in_region); }
static void run_serial(void) { solve_all(solve_serial); }

static void* allocate(size_t count, size_t bytes) {
  void* memory = calloc(count, bytes);
  if (memory == NULL)
    app_reject("out of memory for %ld^3 points", side);
  return memory;
}

static double* vector(void) { return allocate((size_t)rows, sizeof(double)); }

// The row of the point (x, y, z): all points around it that lie in the cube.
static int32_t write_row(long row, int32_t place) {
  long x = row % side, y = row / side % side, z = row / side / side;
  for (long k = z - 1; k <= z + 1; k++)
    for (long j = y - 1; j <= y + 1; j++)
      for (long i = x - 1; i <= x + 1; i++) {
        if (i < 0 || j < 0 || k < 0 || i >= side || j >= side || k >= side)
          continue;
        long other = (k * side + j) * side + i;
        column[place] = (int32_t)other;
        entry[place++] = other == row ? 26 : -1;
      }
  return place;
}

static void prepare(void) {
  rows = side * side * side;
  first = allocate((size_t)rows + 1, sizeof *first);
  column = allocate((size_t)rows * 27, sizeof *column);
  entry = allocate((size_t)rows * 27, sizeof *entry);
  for (long row = 0; row < rows; row++)
    first[row + 1] = write_row(row, first[row]);
  known = vector(), given = vector(), found = vector();
  residual = vector(), direction = vector(), image = vector();
  for (long row = 0; row < rows; row++)
    known[row] = 1 + 0.5 * sin((double)row);
  for (long row = 0; row < rows; row++)
    given[row] = multiply_row(row, known);
}

// The matrix's condition bounds how far the last solution may be off.
static int check(void) {
  double worst = 0;
  for (long row = 0; row < rows; row++)
    worst = fmax(worst, fabs(found[row] - known[row]));
  app_note("rows=%ld iterations=%ld error=%.2e", rows, iterations, worst);
  return length >= 0 && worst < 1e-6;
}

static const Variant kVariants[] = {
    {"regions", "a parallel loop for each part of an iteration", run_regions},
    {"region", "one parallel region for a solution", run_region},
    {"serial", "no OpenMP", run_serial},
    {0},
};

// No paper has this application; `paper` is its largest size.
static const Parameter kParameters[] = {
    {"side", "of the cube, in points", kInteger, &side, {"6", "12", "24", "96"}, 1, 400},
    {"solutions", "one after the other", kInteger, &solutions, {"2", "100", "50", "1"}, 1, 100000},
    {0},
};

int main(int argc, char** argv) {
  static const App app = {
      "cg", "Conjugate gradients on a 27-point stencil", kVariants, kParameters, prepare, check};
  return app_main(&app, argc, argv);
}
