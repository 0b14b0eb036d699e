// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the versions of n queens have in common: parameters, the serial code, the check.
#ifndef XOMP_BENCH_NQUEENS_H
#define XOMP_BENCH_NQUEENS_H

#include "../../frame/app.h"

enum { kMost = 16 };

static long n, cutoff;
static long found;

static int safe(int row, const signed char* column) {
  for (int i = 0; i < row; i++) {
    int distance = column[row] - column[i];
    if (distance == 0 || distance == row - i || distance == i - row)
      return 0;
  }
  return 1;
}

static long serial(int row, signed char* column) {
  if (row == n)
    return 1;
  long count = 0;
  for (int i = 0; i < n; i++) {
    column[row] = (signed char)i;
    if (safe(row, column))
      count += serial(row + 1, column);
  }
  return count;
}

typedef struct {
  signed char column[kMost];
} Board;

// n: paper 1 section VI has 15 (16 in section VIII); papers 3 and 5 have 14 with the manual
// cut-off, whose depth is the suite's default.
static const Parameter kParameters[] = {
    {"n", "queens", kInteger, &n, {"8", "10", "12", "15"}, 1, kMost},
    {"cutoff",
     "rows with tasks in the -if and -manual variants",
     kInteger,
     &cutoff,
     {"3", "3", "3", "3"},
     0,
     kMost},
    {},
};

// Counts in placed[r] the safe placements of queens in the first r rows. Another algorithm than the
// one checked: sets of attacked columns as bits.
static void place(int row, unsigned columns, unsigned left, unsigned right, uint64_t* placed) {
  placed[row]++;
  if (row == n)
    return;
  for (unsigned free = ((1u << n) - 1) & ~(columns | left | right); free != 0; free &= free - 1) {
    unsigned square = free & -free;
    place(row + 1, columns | square, (left | square) << 1, (right | square) >> 1, placed);
  }
}

static int check(void) {
  static const long known[kMost + 1] = {1,   1,   0,    0,     2,     10,     4,       40,      92,
                                        352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512};
  uint64_t placed[kMost + 1] = {0}; // by rows with a queen
  place(0, 0, 0, 0, placed);
  uint64_t tasks = 0;
  for (int row = 0; row < n && !app_variant_has("serial"); row++)
    tasks += row < cutoff || !app_variant_has("manual") ? (uint64_t)n * placed[row] : 0;
  app_tasks(tasks);
  app_note("solutions=%ld", found);
  return found == known[n] && placed[n] == (uint64_t)known[n]; // OEIS A000170
}

#endif
