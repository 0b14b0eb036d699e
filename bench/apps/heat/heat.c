// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Heat: diffusion on a plane, explicit steps with a five-point stencil between two grids. A step
// halves the rows again and again, a task for either half, down to GRAIN rows. Paper 3 (sections 3
// and 6) names neither grid nor steps; `paper` reads as much memory as it reports, 13.6 GB: 100
// times a grid of 4096 x 4096 doubles.
#include "../../frame/app.h"
#include "../../frame/locality.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static long rows, columns, steps, grain; // the grid has a border of zeros around them
static double *now, *next;
static char** arguments;

static const double kPi = 3.14159265358979323846, kRate = 0.1; // dt/dx^2; stable up to 0.25

typedef void (*Work)(long first, long end); // on rows from first to before end

static double* row_of(double* grid, long row) { return grid + row * (columns + 2); }

static void exchange(void) {
  double* grid = now;
  now = next;
  next = grid;
}

static void compute(long first, long end) {
  for (long row = first; row < end; row++) {
    const double *up = row_of(now, row - 1), *here = row_of(now, row), *down = row_of(now, row + 1);
    double* there = row_of(next, row);
    for (long column = 1; column <= columns; column++)
      there[column] = here[column] + kRate * (up[column] + down[column] + here[column - 1] +
                                              here[column + 1] - 4 * here[column]);
  }
}

// The start is a wave that fits the border: a step only scales it, so that the end is known. Its
// period is some forty points, so that a step changes each of them by about half a percent.
static long waves(long points) { return points / 20 + 1; }

static double wave(long index, long points) {
  return sin(kPi * (double)(waves(points) * index % (2 * (points + 1))) / (double)(points + 1));
}

static double scale_of_step(void) {
  double along = cos(kPi * (double)waves(columns) / (double)(columns + 1));
  double down = cos(kPi * (double)waves(rows) / (double)(rows + 1));
  return 1 - 2 * kRate * (2 - along - down);
}

static double* along; // the wave along a row

static void start(long first, long end) {
  for (long row = first; row < end; row++) {
    double height = wave(row, rows);
    for (long column = 1; column <= columns; column++) {
      row_of(now, row)[column] = height * along[column];
      row_of(next, row)[column] = 0;
    }
  }
}

// Halves rows until few are left, with a task for either half.
static void halve(Work work, long first, long end) {
  if (end - first <= grain) {
    work(first, end);
    return;
  }
  long middle = first + (end - first) / 2;
#pragma omp task
  halve(work, first, middle);
#pragma omp task
  halve(work, middle, end);
#pragma omp taskwait
}

// The same, but the halves share out the locality domains from `domain` on, `count` of them, as in
// paper 3, Fig. 8. The rows are cut in the proportion of the domains.
static void halve_domains(Work work, long first, long end, int domain, int count) {
  if (end - first <= grain || count == 1) {
    halve(work, first, end);
    return;
  }
  int left = count / 2;
  long middle = first + (end - first) * left / count;
  locality_children(domain);
#pragma omp task
  halve_domains(work, first, middle, domain, left);
  locality_children(domain + left);
#pragma omp task
  halve_domains(work, middle, end, domain + left, count - left);
#pragma omp taskwait
}

static int in_domains(void) { return strncmp(app_variant(), "locality", 8) == 0; }

// All rows, shared out in the variant's manner; each but `serial` from within a parallel region.
static void by_tasks(Work work) {
  if (in_domains())
    halve_domains(work, 1, rows + 1, 0, locality_domains());
  else
    halve(work, 1, rows + 1);
}

static void by_loop(Work work) {
#pragma omp for schedule(static)
  for (long row = 1; row <= rows; row++)
    work(row, row + 1);
}

static void run_tasks(void) {
#pragma omp parallel
#pragma omp single
  for (long step = 0; step < steps; step++) {
    by_tasks(compute);
    exchange();
  }
}

static void run_for(void) {
#pragma omp parallel
  for (long step = 0; step < steps; step++) {
    by_loop(compute);
#pragma omp single
    exchange();
  }
}

static void run_serial(void) {
  for (long step = 0; step < steps; step++) {
    compute(1, rows + 1);
    exchange();
  }
}

static void* allocate(size_t count) {
  void* memory = calloc(count, sizeof(double));
  if (memory == NULL)
    app_reject("out of memory for %ld x %ld points", rows, columns);
  return memory;
}

static int variant_is(const char* name) { return strcmp(app_variant(), name) == 0; }

// First touch puts each row's memory where the variant will work on it (paper 3, section 6).
static void prepare(void) {
  if (variant_is("locality-strict"))
    locality_be_strict(arguments);
  now = allocate((size_t)(rows + 2) * (size_t)(columns + 2));
  next = allocate((size_t)(rows + 2) * (size_t)(columns + 2));
  along = allocate((size_t)columns + 2);
  for (long column = 1; column <= columns; column++)
    along[column] = wave(column, columns);
  if (variant_is("serial")) {
    start(1, rows + 1);
  } else if (variant_is("for")) {
#pragma omp parallel
    by_loop(start);
  } else {
#pragma omp parallel
#pragma omp single
    by_tasks(start);
  }
}

static uint64_t halvings(long count) {
  return count <= grain ? 0 : 2 + halvings(count / 2) + halvings(count - count / 2);
}

static uint64_t halvings_in_domains(long count, int domains) {
  if (count <= grain || domains == 1)
    return halvings(count);
  long left = count * (domains / 2) / domains;
  return 2 + halvings_in_domains(left, domains / 2) +
         halvings_in_domains(count - left, domains - domains / 2);
}

// Largest distance from the wave that the steps should have left.
static double deviation(void) {
  double scale = pow(scale_of_step(), (double)steps), largest = 0;
  for (long row = 1; row <= rows; row++) {
    double height = scale * wave(row, rows);
    for (long column = 1; column <= columns; column++)
      largest = fmax(largest, fabs(row_of(now, row)[column] - height * along[column]));
  }
  return largest;
}

// Against the known end, and below size paper bit by bit against the serial code. A step that was
// left out anywhere shows as 0.5% of what is left of the wave, the roundings stay below 1e-14.
static int check(void) {
  double error = deviation();
  if (!variant_is("serial") && !variant_is("for"))
    app_tasks((uint64_t)steps *
              (in_domains() ? halvings_in_domains(rows, locality_domains()) : halvings(rows)));
  if (in_domains())
    locality_note();
  app_note("deviation=%.2e", error);
  int ok = error < 1e-12;
  if (app_size() == kPaper)
    return ok;
  double* got = now;
  now = allocate((size_t)(rows + 2) * (size_t)(columns + 2));
  start(1, rows + 1);
  run_serial();
  ok = ok && memcmp(got, now, (size_t)(rows + 2) * (size_t)(columns + 2) * sizeof *now) == 0;
  free(got);
  return ok;
}

static const Variant kVariants[] = {
    {"tied", "a tied task per half of the rows", run_tasks},
    {"locality", "as tied, the first halves dealt to the locality domains", run_tasks},
    {"locality-strict", "as locality, under XOMP_LOCALITY=strict", run_tasks},
    {"for", "a worksharing loop over the rows", run_for},
    {"serial", "no OpenMP", run_serial},
    {0},
};

static const Parameter kParameters[] = {
    {"rows", "of the grid", kInteger, &rows, {"128", "1024", "2048", "4096"}, 1, 100000},
    {"columns", "of the grid", kInteger, &columns, {"128", "1024", "2048", "4096"}, 1, 100000},
    {"steps", "in time", kInteger, &steps, {"20", "100", "200", "100"}, 1, 2000},
    {"grain", "rows that are not halved", kInteger, &grain, {"8", "16", "16", "16"}, 1, 100000},
    {0},
};

int main(int argc, char** argv) {
  static const App app = {
      "heat", "Heat on a plane, five-point stencil", kVariants, kParameters, prepare, check};
  arguments = argv;
  return app_main(&app, argc, argv);
}
