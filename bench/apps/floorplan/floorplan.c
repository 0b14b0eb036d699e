// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floorplan: the smallest rectangle that holds all cells, by branch and bound, as in the Barcelona
// suite (BOTS). A task for every position of every shape; it reads its parent's plan, so a parent
// waits for its children. How many positions are tried depends on how early good plans are found,
// so it differs between runs; the area does not. Paper 1, section VI places 20 cells, and 15 in its
// sweeps.
#include "problem.h"

#include "../../frame/app.h"

#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct {
  int top, bottom, left, right; // inclusive
} Place;

typedef struct {
  int rows, columns;          // of the rectangle around all cells so far
  uint8_t cell[kGrid][kGrid]; // that covers each square of the grid, or 0
  Place place[kMostCells + 1];
} Plan;

typedef struct {
  int top, left;
} Spot;

static long cells, cutoff, seed;
static Problem problem;
static Plan best_plan;
static int best; // its area; read without a lock, written with one
static uint64_t positions, tasks_made;

// What each thread did, added up once it is done.
static int64_t tried, made;
#pragma omp threadprivate(tried, made)

static int larger(int a, int b) { return a > b ? a : b; }
static int smaller(int a, int b) { return a < b ? a : b; }

// Whether two ranges, both ends included, share something.
static int meet(int a, int b, int c, int d) { return a <= d && c <= b; }

// Where the shape may lie so that it touches the cells that it must touch.
static int spots(const Plan* plan, const Cell* cell, int shape, Spot* spot) {
  int rows = cell->shape[shape].rows, columns = cell->shape[shape].columns, count = 0;
  if (cell->left >= 0 && cell->above >= 0) {
    const Place *left = &plan->place[cell->left], *above = &plan->place[cell->above];
    Spot corner = {above->bottom + 1, left->right + 1};
    if (meet(corner.top, corner.top + rows - 1, left->top, left->bottom) &&
        meet(corner.left, corner.left + columns - 1, above->left, above->right))
      spot[count++] = corner;
  } else if (cell->left >= 0) {
    const Place* left = &plan->place[cell->left];
    int last = smaller(left->bottom, kGrid - 1);
    for (int top = larger(left->top - rows + 1, 0); top <= last; top++)
      spot[count++] = (Spot){top, left->right + 1};
  } else {
    const Place* above = &plan->place[cell->above];
    int last = smaller(above->right, kGrid - 1);
    for (int first = larger(above->left - columns + 1, 0); first <= last; first++)
      spot[count++] = (Spot){above->bottom + 1, first};
  }
  return count;
}

static void keep(const Plan* plan, int area) {
#pragma omp critical(best)
  if (area < best) {
    __atomic_store_n(&best, area, __ATOMIC_RELAXED);
    best_plan = *plan;
  }
}

// The plan with one more cell. Returns the cell to place next, 0 if there is none or no point. The
// whole plan is copied before it is known to be one, as in the suite: that copy is most of a task.
static int put(Plan* plan, const Plan* before, int index, int shape, Spot spot) {
  const Cell* cell = &problem.cell[index];
  int bottom = spot.top + cell->shape[shape].rows - 1;
  int right = spot.left + cell->shape[shape].columns - 1;
  tried++;
  *plan = *before;
  if (bottom >= kGrid || right >= kGrid)
    return 0;
  for (int row = spot.top; row <= bottom; row++)
    for (int column = spot.left; column <= right; column++) {
      if (plan->cell[row][column] != 0)
        return 0;
      plan->cell[row][column] = (uint8_t)index;
    }
  plan->place[index] = (Place){spot.top, bottom, spot.left, right};
  plan->rows = larger(plan->rows, bottom + 1);
  plan->columns = larger(plan->columns, right + 1);
  int area = plan->rows * plan->columns;
  if (area >= __atomic_load_n(&best, __ATOMIC_RELAXED))
    return 0;
  if (cell->next == 0)
    keep(plan, area);
  return cell->next;
}

static void serial(const Plan* before, int index) {
  Spot spot[2 * kGrid];
  for (int shape = 0; shape < problem.cell[index].shapes; shape++) {
    int count = spots(before, &problem.cell[index], shape, spot);
    for (int i = 0; i < count; i++) {
      Plan plan;
      int next = put(&plan, before, index, shape, spot[i]);
      if (next != 0)
        serial(&plan, next);
    }
  }
}

// One function per variant: whether a task is tied is fixed when it is compiled. A task gets two
// integers and no Spot: for a struct gcc hands over a function that copies the arguments, and
// LLVM's GOMP_task does not call it when the if clause is false.
#define PLACE(NAME, CLAUSES, STOP)                                                                 \
  static void NAME(const Plan* before, int index, int depth) {                                     \
    if (STOP) {                                                                                    \
      serial(before, index);                                                                       \
      return;                                                                                      \
    }                                                                                              \
    Spot spot[2 * kGrid];                                                                          \
    for (int shape = 0; shape < problem.cell[index].shapes; shape++) {                             \
      int count = spots(before, &problem.cell[index], shape, spot);                                \
      made += count;                                                                               \
      for (int i = 0; i < count; i++) {                                                            \
        int top = spot[i].top, left = spot[i].left;                                                \
        _Pragma(CLAUSES) {                                                                         \
          Plan plan;                                                                               \
          int next = put(&plan, before, index, shape, (Spot){top, left});                          \
          if (next != 0)                                                                           \
            NAME(&plan, next, depth + 1);                                                          \
        }                                                                                          \
      }                                                                                            \
    }                                                                                              \
    _Pragma("omp taskwait")                                                                        \
  }                                                                                                \
  static void run_##NAME(void) {                                                                   \
    Plan empty = {0};                                                                              \
    empty.place[0] = (Place){0, 0, -1, -1};                                                        \
    _Pragma("omp parallel") {                                                                      \
      tried = made = 0;                                                                            \
      _Pragma("omp barrier") _Pragma("omp single") NAME(&empty, 1, 0);                             \
      _Pragma("omp atomic") positions += tried;                                                    \
      _Pragma("omp atomic") tasks_made += made;                                                    \
    }                                                                                              \
  }

PLACE(tied, "omp task", 0)
PLACE(untied, "omp task untied", 0)
PLACE(tied_if, "omp task if (depth < cutoff)", 0)
PLACE(untied_if, "omp task untied if (depth < cutoff)", 0)
PLACE(tied_manual, "omp task", depth >= cutoff)
PLACE(untied_manual, "omp task untied", depth >= cutoff)

static void run_serial(void) {
  Plan empty = {0};
  empty.place[0] = (Place){0, 0, -1, -1};
  tried = 0;
  serial(&empty, 1);
  positions = (uint64_t)tried;
}

// With --data the first CELLS cells of the smallest published problem that has them.
static void prepare(void) {
  static const int published[] = {5, 15, 20};
  best = kGrid * kGrid + 1;
  if (app_data("") == NULL) {
    problem_draw(&problem, (int)cells, (uint64_t)seed);
    return;
  }
  for (unsigned i = 0; i < sizeof published / sizeof published[0]; i++)
    if (cells <= published[i]) {
      char name[64];
      snprintf(name, sizeof name, "floorplan/input.%d", published[i]);
      problem_read(&problem, app_data(name));
      problem_cut(&problem, (int)cells);
      return;
    }
  app_reject("no published problem has %ld cells", cells);
}

// A cell of a good plan has one of its shapes, lies inside the rectangle, and touches those that it
// must touch.
static int well_placed(const Plan* plan, int index) {
  const Cell* cell = &problem.cell[index];
  const Place *own = &plan->place[index], *left = &plan->place[cell->left < 0 ? 0 : cell->left];
  const Place* above = &plan->place[cell->above < 0 ? 0 : cell->above];
  int known = 0;
  for (int shape = 0; shape < cell->shapes; shape++)
    known |= own->bottom - own->top + 1 == cell->shape[shape].rows &&
             own->right - own->left + 1 == cell->shape[shape].columns;
  int inside =
      own->top >= 0 && own->left >= 0 && own->bottom < plan->rows && own->right < plan->columns;
  int beside = cell->left < 0 || (own->left == left->right + 1 &&
                                  meet(own->top, own->bottom, left->top, left->bottom));
  int below = cell->above < 0 || (own->top == above->bottom + 1 &&
                                  meet(own->left, own->right, above->left, above->right));
  return known && inside && beside && below;
}

static int overlap(const Place* a, const Place* b) {
  return meet(a->top, a->bottom, b->top, b->bottom) && meet(a->left, a->right, b->left, b->right);
}

static int good(const Plan* plan) {
  for (int index = 1; index <= problem.cells; index++) {
    if (!well_placed(plan, index))
      return 0;
    for (int other = 1; other < index; other++)
      if (overlap(&plan->place[index], &plan->place[other]))
        return 0;
  }
  return 1;
}

// The area is the known one, or the serial code's for a part of a problem.
static int check(void) {
  int area = best, ok = good(&best_plan) && best_plan.rows * best_plan.columns == area;
  app_note("area=%d positions=%llu", area, (unsigned long long)positions);
  app_tasks(tasks_made);
  if (problem.area != 0)
    return ok && area == problem.area;
  best = kGrid * kGrid + 1;
  run_serial();
  return ok && area == best;
}

static const Variant kVariants[] = {
    {"tied", "a tied task per position", run_tied},
    {"untied", "an untied task per position", run_untied},
    {"tied-if", "tied, with an if clause below the cut-off", run_tied_if},
    {"untied-if", "untied, with an if clause below the cut-off", run_untied_if},
    {"tied-manual", "tied, the serial code below the cut-off", run_tied_manual},
    {"untied-manual", "untied, the serial code below the cut-off", run_untied_manual},
    {"serial", "no OpenMP", run_serial},
    {0},
};

static const Parameter kParameters[] = {
    {"cells",
     "to place; with --data the first of floorplan/input.*",
     kInteger,
     &cells,
     {"5", "13", "15", "20"},
     1,
     kMostCells},
    {"cutoff",
     "cells placed by tasks in the -if and -manual variants",
     kInteger,
     &cutoff,
     {"5", "5", "5", "5"},
     0,
     kMostCells},
    {"seed", "of the drawn problem", kInteger, &seed, {"7", "7", "7", "7"}, 0, 1e9},
    {0},
};

int main(int argc, char** argv) {
  static const App app = {"floorplan", "Smallest rectangle that holds all cells",
                          kVariants,   kParameters,
                          prepare,     check};
  return app_main(&app, argc, argv);
}
