// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the suite's problems, and draws such with a known answer.
#include "problem.h"

#include "../../frame/app.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int number(FILE* file, const char* path, int low, int high) {
  int value;
  if (fscanf(file, "%d", &value) != 1)
    app_reject("%s: a number is missing at byte %ld", path, ftell(file));
  if (value < low || value > high)
    app_reject("%s: %d at byte %ld is not from %d to %d", path, value, ftell(file), low, high);
  return value;
}

// A cell must touch one that is placed before it, and the chain of cells must hold them all.
static void check_chain(const Problem* problem, const char* path) {
  char placed[kMostCells + 1] = {1};
  int count = 0;
  for (int index = 1; index != 0; index = problem->cell[index].next, count++) {
    const Cell* cell = &problem->cell[index];
    if (placed[index] || (cell->left < 0 && cell->above < 0) ||
        (cell->left >= 0 && !placed[cell->left]) || (cell->above >= 0 && !placed[cell->above]))
      app_reject("%s: cell %d cannot be placed", path, index);
    placed[index] = 1;
  }
  if (count != problem->cells)
    app_reject("%s: %d of %d cells are placed", path, count, problem->cells);
}

// The number of cells; per cell its number of shapes, their rows and columns, the cells to its left
// and above it, the next cell; at the end the smallest area.
void problem_read(Problem* problem, const char* path) {
  FILE* file = fopen(path, "r");
  if (file == NULL)
    app_reject("cannot read %s", path);
  problem->cells = number(file, path, 1, kMostCells);
  for (int index = 1; index <= problem->cells; index++) {
    Cell* cell = &problem->cell[index];
    cell->shapes = number(file, path, 1, kMostShapes);
    for (int shape = 0; shape < cell->shapes; shape++) {
      cell->shape[shape].rows = number(file, path, 1, kGrid);
      cell->shape[shape].columns = number(file, path, 1, kGrid);
    }
    cell->left = number(file, path, -1, problem->cells);
    cell->above = number(file, path, -1, problem->cells);
    cell->next = number(file, path, 0, problem->cells);
  }
  problem->area = number(file, path, 1, kGrid * kGrid);
  fclose(file);
  check_chain(problem, path);
}

void problem_cut(Problem* problem, int cells) {
  for (int index = 1; index < cells; index++)
    if (problem->cell[index].next != index + 1)
      app_reject("the first %d of %d cells are no problem of their own", cells, problem->cells);
  if (cells < problem->cells)
    problem->area = 0;
  problem->cells = cells;
  problem->cell[cells].next = 0;
}

// splitmix64 (Steele, Lea and Flood 2014): from low to high, both included.
static int draw(uint64_t* state, int low, int high) {
  uint64_t x = *state += 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return low + (int)((x ^ x >> 31) % (uint64_t)(high - low + 1));
}

// The shape that the cell has in the solution, upright and lying, in any order.
static void draw_shapes(Cell* cell, int rows, int columns, uint64_t* state) {
  int first = draw(state, 0, 1);
  cell->shapes = 2;
  cell->shape[first].rows = cell->shape[1 - first].columns = rows;
  cell->shape[first].columns = cell->shape[1 - first].rows = columns;
}

// A rectangle cut into shelves and the shelves into cells: it is full, so none is smaller. The
// first cell of a shelf lies below the first one above; the others lie right of the one before,
// and most of them below the cell above their left edge.
void problem_draw(Problem* problem, int cells, uint64_t seed) {
  int shelves = 1;
  while ((shelves + 1) * (shelves + 1) <= cells)
    shelves++;
  int most = (cells + shelves - 1) / shelves, width = 4 * most, height = 0;
  int above[kGrid], own[kGrid]; // the cell that covers each column, in two shelves
  uint64_t state = seed;
  problem->cells = cells;
  for (int shelf = 0, index = 1; shelf < shelves; shelf++) {
    int count = (cells - index + 1) / (shelves - shelf), rows = draw(&state, 3, 6);
    for (int i = 0, left = 0; i < count; i++, index++) {
      int rest = width - left - 2 * (count - 1 - i); // what leaves the others two columns each
      int columns = i == count - 1 ? rest : draw(&state, 2, rest < 6 ? rest : 6);
      Cell* cell = &problem->cell[index];
      draw_shapes(cell, rows, columns, &state);
      int below = shelf > 0 && (i == 0 || draw(&state, 0, 3) > 0);
      cell->left = i > 0 ? index - 1 : shelf > 0 ? -1 : 0;
      cell->above = below ? above[left] : -1;
      cell->next = index < cells ? index + 1 : 0;
      for (int column = left; column < left + columns; column++)
        own[column] = index;
      left += columns;
    }
    memcpy(above, own, sizeof above);
    height += rows;
  }
  problem->area = width * height;
}
