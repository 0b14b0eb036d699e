// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A floorplan problem: cells that may have several shapes, placed one after the other, each beside
// a cell to its left, below a cell above it, or both.
#ifndef XOMP_BENCH_FLOORPLAN_PROBLEM_H
#define XOMP_BENCH_FLOORPLAN_PROBLEM_H

#include <stdint.h>

enum { kMostCells = 40, kMostShapes = 32, kGrid = 64 }; // the grid has kGrid rows and columns

typedef struct {
  int shapes;
  struct {
    int rows, columns;
  } shape[kMostShapes];
  int left, above; // cells that it touches, or -1; cell 0 stands for the grid's upper left corner
  int next;        // the cell placed after it; 0 after the last
} Cell;

typedef struct {
  Cell cell[kMostCells + 1]; // the first to place is cell 1
  int cells;
  int area; // of the best solution, published or by construction; 0 if unknown
} Problem;

void problem_read(Problem* problem, const char* path);
void problem_cut(Problem* problem, int cells); // keeps the first cells; the area becomes unknown
void problem_draw(Problem* problem, int cells, uint64_t seed);

#endif
