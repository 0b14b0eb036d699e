// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hydrodynamics: a blast in a square box of gas. Euler's equations in two dimensions by an explicit
// finite-volume scheme (Rusanov's flux), as codes for shocks do it: in each step the equation of
// state, the longest stable time step (a reduction over all cells), the fluxes through the faces in
// either direction, the walls, the update. Each is a loop of some ten microseconds, so what is
// measured is how fast a team begins and ends them. `regions` has a parallel region for each loop,
// `region` one region with loops, barriers and a `single` in it.
#include "../../frame/app.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static long cells, steps; // along a side; in time

enum { kMass, kAlong, kDown, kEnergy, kFields }; // the conserved quantities, per volume

typedef struct {
  double of[kFields];
} Cell;

// Cells with a border of one around them: cell (row, column) is at row * (cells + 2) + column. Face
// (row, column) lies between that cell and its right or lower neighbour.
static Cell *gas, *right, *below;
static double *pressure, *speed; // of a cell: pressure; sound and flow together, the faster axis
static double step;              // in time, over the length of a cell

static const double kGamma = 1.4, kCourant = 0.2;

static long at(long row, long column) { return row * (cells + 2) + column; }

// Equation of state: what a row's cells exert, and how fast news travels in them; the fastest.
static double state_of_row(long row) {
  double fastest = 0;
  for (long i = at(row, 0); i < at(row, cells + 2); i++) {
    const double* u = gas[i].of;
    double momentum = u[kAlong] * u[kAlong] + u[kDown] * u[kDown];
    pressure[i] = (kGamma - 1) * (u[kEnergy] - 0.5 * momentum / u[kMass]);
    speed[i] =
        sqrt(kGamma * pressure[i] / u[kMass]) + fmax(fabs(u[kAlong]), fabs(u[kDown])) / u[kMass];
    fastest = fmax(fastest, speed[i]);
  }
  return fastest;
}

// Rusanov's flux from one cell to the next along an axis: the mean of both cells' own, and a
// difference that the faster of them smears.
static void flux(Cell* face, long from, long to, int axis) {
  const double *a = gas[from].of, *b = gas[to].of;
  double flow_a = a[axis] / a[kMass], flow_b = b[axis] / b[kMass];
  double smear = fmax(speed[from], speed[to]);
  double push[kFields] = {0, 0, 0, pressure[from] * flow_a + pressure[to] * flow_b};
  push[axis] = pressure[from] + pressure[to];
  for (int k = 0; k < kFields; k++)
    face->of[k] = 0.5 * (a[k] * flow_a + b[k] * flow_b + push[k] - smear * (b[k] - a[k]));
}

static void flux_along_row(long row) {
  for (long column = 0; column <= cells; column++)
    flux(&right[at(row, column)], at(row, column), at(row, column + 1), kAlong);
}

static void flux_down_row(long row) {
  for (long column = 1; column <= cells; column++)
    flux(&below[at(row, column)], at(row, column), at(row + 1, column), kDown);
}

static void update_row(long row) {
  for (long i = at(row, 1); i < at(row, cells + 1); i++)
    for (int k = 0; k < kFields; k++)
      gas[i].of[k] -= step * (right[i].of[k] - right[i - 1].of[k] + below[i].of[k] -
                              below[i - (cells + 2)].of[k]);
}

static void mirror(long border, long inside, int axis) {
  gas[border] = gas[inside];
  gas[border].of[axis] = -gas[inside].of[axis];
}

// Walls reflect: what is behind them mirrors what is before them.
static void walls_of(long i) {
  mirror(at(i, 0), at(i, 1), kAlong);
  mirror(at(i, cells + 1), at(i, cells), kAlong);
  mirror(at(0, i), at(1, i), kDown);
  mirror(at(cells + 1, i), at(cells, i), kDown);
}

static void choose_step(double fastest) { step = kCourant / fastest; }

static void run_serial(void) {
  for (long n = 0; n < steps; n++) {
    for (long i = 1; i <= cells; i++)
      walls_of(i);
    double fastest = 0;
    for (long row = 0; row < cells + 2; row++)
      fastest = fmax(fastest, state_of_row(row));
    choose_step(fastest);
    for (long row = 1; row <= cells; row++)
      flux_along_row(row);
    for (long row = 0; row <= cells; row++)
      flux_down_row(row);
    for (long row = 1; row <= cells; row++)
      update_row(row);
  }
}

static void run_regions(void) {
  for (long n = 0; n < steps; n++) {
#pragma omp parallel for
    for (long i = 1; i <= cells; i++)
      walls_of(i);
    double fastest = 0;
#pragma omp parallel for reduction(max : fastest)
    for (long row = 0; row < cells + 2; row++)
      fastest = fmax(fastest, state_of_row(row));
    choose_step(fastest);
#pragma omp parallel for
    for (long row = 1; row <= cells; row++)
      flux_along_row(row);
#pragma omp parallel for
    for (long row = 0; row <= cells; row++)
      flux_down_row(row);
#pragma omp parallel for
    for (long row = 1; row <= cells; row++)
      update_row(row);
  }
}

static void run_region(void) {
  double fastest = 0;
#pragma omp parallel
  for (long n = 0; n < steps; n++) {
#pragma omp for
    for (long i = 1; i <= cells; i++)
      walls_of(i);
#pragma omp for reduction(max : fastest)
    for (long row = 0; row < cells + 2; row++)
      fastest = fmax(fastest, state_of_row(row));
#pragma omp single
    {
      choose_step(fastest);
      fastest = 0;
    }
#pragma omp for nowait
    for (long row = 1; row <= cells; row++)
      flux_along_row(row);
#pragma omp for
    for (long row = 0; row <= cells; row++)
      flux_down_row(row);
#pragma omp for
    for (long row = 1; row <= cells; row++)
      update_row(row);
  }
}

static size_t places(void) { return (size_t)(cells + 2) * (size_t)(cells + 2); }

static void* allocate(size_t bytes) {
  void* memory = calloc(places(), bytes);
  if (memory == NULL)
    app_reject("out of memory for %ld x %ld cells", cells, cells);
  return memory;
}

// Gas at rest, the corners of the box behind its border too; a tenth of the side in the middle is
// hot.
static void fill(void) {
  double radius = fmax(0.05 * (double)cells, 1), middle = 0.5 * (double)(cells + 1);
  for (long row = 0; row < cells + 2; row++)
    for (long column = 0; column < cells + 2; column++) {
      double from = hypot((double)row - middle, (double)column - middle);
      gas[at(row, column)] = (Cell){{1, 0, 0, (from <= radius ? 100 : 1) / (kGamma - 1)}};
    }
}

static void prepare(void) {
  gas = allocate(sizeof *gas);
  right = allocate(sizeof *right);
  below = allocate(sizeof *below);
  pressure = allocate(sizeof *pressure);
  speed = allocate(sizeof *speed);
  fill();
}

static double total(int field) {
  double sum = 0;
  for (long row = 1; row <= cells; row++)
    for (long column = 1; column <= cells; column++)
      sum += gas[at(row, column)].of[field];
  return sum;
}

static double off(double value, double expected) { return fabs(value - expected) / expected; }

// Mass and energy cannot leave the box, and every operation on a cell is the same in every variant,
// so the serial code must give the same bits; at size paper that would take too long.
static int check(void) {
  Cell* got = gas;
  double mass = total(kMass), energy = total(kEnergy);
  gas = allocate(sizeof *gas);
  fill();
  double lost = fmax(off(mass, total(kMass)), off(energy, total(kEnergy)));
  app_note("loops=%ld lost=%.2e", 5 * steps, lost);
  int ok = lost < 1e-10;
  if (app_size() != kPaper) {
    run_serial();
    ok = ok && memcmp(got, gas, places() * sizeof *gas) == 0;
  }
  free(got);
  return ok;
}

static const Variant kVariants[] = {
    {"regions", "a parallel loop for each part of a step", run_regions},
    {"region", "one parallel region with worksharing loops", run_region},
    {"serial", "no OpenMP", run_serial},
    {0},
};

// No paper has this application; `paper` is its largest size.
static const Parameter kParameters[] = {
    {"cells", "along a side", kInteger, &cells, {"16", "48", "128", "1024"}, 1, 20000},
    {"steps", "in time", kInteger, &steps, {"50", "3000", "2000", "500"}, 1, 1000000},
    {0},
};

int main(int argc, char** argv) {
  static const App app = {"hydro", "A blast in a box of gas", kVariants, kParameters, prepare,
                          check};
  return app_main(&app, argc, argv);
}
