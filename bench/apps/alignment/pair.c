// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pair.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

enum { kNever = INT_MIN / 2 };
enum { kMatch, kDelete, kInsert }; // a column of the alignment: both, the first only, the second

// What a pair needs to work, sized by the two lengths.
typedef struct {
  int *best, *gap;           // per column of the second: best score, and with a deletion open
  int *best_back, *gap_back; // the same, from the other end
  uint8_t* path;
  int steps;
} Space;

static int larger(int a, int b) { return a > b ? a : b; }
static int gap(int length) { return length > 0 ? kOpen + kExtend * length : 0; }

typedef struct {
  int score, row, column;
} Spot;

// Smith and Waterman with Gotoh's gaps: the best score and the cell where it is reached first.
static Spot find_end(const Protein* a, const Protein* b, Space* space) {
  Spot end = {0, -1, -1};
  for (int j = 0; j <= b->length; j++) {
    space->best[j] = 0;
    space->gap[j] = kNever;
  }
  for (int i = 0; i < a->length; i++) {
    const int8_t* likeness = kLikeness[a->residue[i]];
    int diagonal = 0, left = 0, insert = kNever;
    for (int j = 1; j <= b->length; j++) {
      int up = space->best[j];
      insert = larger(insert, left - kOpen) - kExtend;
      space->gap[j] = larger(space->gap[j], up - kOpen) - kExtend;
      left = larger(diagonal + likeness[b->residue[j - 1]], larger(insert, space->gap[j]));
      left = space->best[j] = larger(left, 0);
      diagonal = up;
      if (left > end.score)
        end = (Spot){left, i, j - 1};
    }
  }
  return end;
}

// The same backwards from the end, where the alignment must begin; it is over when the score is
// reached again.
static Spot find_start(const Protein* a, const Protein* b, Spot end, Space* space) {
  int width = end.column + 1;
  for (int j = 0; j <= width; j++)
    space->best[j] = space->gap[j] = kNever;
  space->best[0] = 0;
  for (int i = end.row; i >= 0; i--) {
    const int8_t* likeness = kLikeness[a->residue[i]];
    int diagonal = space->best[0], left = kNever, insert = kNever;
    space->best[0] = kNever;
    for (int j = 1; j <= width; j++) {
      int up = space->best[j], column = width - j;
      insert = larger(insert, left - kOpen) - kExtend;
      space->gap[j] = larger(space->gap[j], up - kOpen) - kExtend;
      left = larger(diagonal + likeness[b->residue[column]], larger(insert, space->gap[j]));
      left = space->best[j] = larger(left, kNever);
      diagonal = up;
      if (left == end.score)
        return (Spot){left, i, column};
    }
  }
  return (Spot){kNever, 0, 0};
}

static void put(Space* space, int kind, int count) {
  while (count-- > 0)
    space->path[space->steps++] = (uint8_t)kind;
}

// One residue of the first against n of the second: it faces the one where that is best, or none,
// and then lies at the end where a deletion costs less to begin.
static void align_one(const uint8_t* a, const uint8_t* b, int n, int open_start, int open_end,
                      Space* space) {
  int before = open_start <= open_end ? 0 : n, facing = -1;
  int best = -((before ? open_end : open_start) + kExtend) - gap(n);
  for (int j = 0; j < n; j++) {
    int score = kLikeness[*a][b[j]] - gap(j) - gap(n - 1 - j);
    if (score > best) {
      best = score;
      facing = before = j;
    }
  }
  put(space, kInsert, before);
  put(space, facing < 0 ? kDelete : kMatch, 1);
  put(space, kInsert, n - before - (facing >= 0));
}

// Best scores of m residues against every prefix of n, for a deletion at the start that costs
// `open` to begin. With step -1 the sequences are read backwards from their ends.
static void sweep(const uint8_t* a, int m, const uint8_t* b, int n, int step, int open, int* best,
                  int* deleting) {
  best[0] = 0;
  for (int j = 1; j <= n; j++) {
    best[j] = -gap(j);
    deleting[j] = best[j] - kOpen;
  }
  for (int i = 1; i <= m; i++, a += step) {
    const int8_t* likeness = kLikeness[*a];
    const uint8_t* facing = b;
    int diagonal = best[0], left = best[0] = -(open + kExtend * i), insert = left - kOpen;
    for (int j = 1; j <= n; j++, facing += step) {
      int up = best[j];
      insert = larger(insert, left - kOpen) - kExtend;
      deleting[j] = larger(deleting[j], up - kOpen) - kExtend;
      left = best[j] = larger(diagonal + likeness[*facing], larger(insert, deleting[j]));
      diagonal = up;
    }
  }
  deleting[0] = best[0];
}

// Myers and Miller: the middle row is crossed where forward and backward scores add up best, either
// between two columns or within a deletion; both sides are then problems of their own. open_start
// and open_end are what a deletion at that end costs to begin: 0 where it goes on from outside.
static void align(const uint8_t* a, int m, const uint8_t* b, int n, int open_start, int open_end,
                  Space* space) {
  if (n == 0 || m == 0) {
    put(space, kDelete, m);
    put(space, kInsert, n);
    return;
  }
  if (m == 1) {
    align_one(a, b, n, open_start, open_end, space);
    return;
  }
  int middle = m / 2, split = 0, within = 0, most = INT_MIN;
  sweep(a, middle, b, n, 1, open_start, space->best, space->gap);
  sweep(a + m - 1, m - middle, b + n - 1, n, -1, open_end, space->best_back, space->gap_back);
  for (int j = 0; j <= n; j++) {
    int between = space->best[j] + space->best_back[n - j];
    int inside = space->gap[j] + space->gap_back[n - j] + kOpen;
    if (between > most || inside > most) {
      split = j;
      within = inside > between;
      most = larger(between, inside);
    }
  }
  if (!within) {
    align(a, middle, b, split, open_start, kOpen, space);
    align(a + middle, m - middle, b + split, n - split, kOpen, open_end, space);
  } else {
    align(a, middle - 1, b, split, open_start, 0, space);
    put(space, kDelete, 2);
    align(a + middle + 1, m - middle - 1, b + split, n - split, 0, open_end, space);
  }
}

// Adds up the score along the path, without knowledge of how it was found.
static void walk(const uint8_t* a, const uint8_t* b, const Space* space, Pair* pair) {
  for (int i = 0; i < space->steps; i++) {
    int kind = space->path[i];
    if (kind == kMatch) {
      pair->identities += *a == *b;
      pair->path_score += kLikeness[*a++][*b++];
      continue;
    }
    pair->path_score -= kExtend + (i == 0 || space->path[i - 1] != kind ? kOpen : 0);
    a += kind == kDelete;
    b += kind == kInsert;
  }
}

Pair pair_align(const Protein* first, const Protein* second) {
  size_t row = (size_t)second->length + 1;
  int* memory = malloc(4 * row * sizeof(int) + (size_t)(first->length + second->length));
  if (memory == NULL) {
    perror("alignment");
    exit(1);
  }
  Space space = {
      memory, memory + row, memory + 2 * row, memory + 3 * row, (uint8_t*)(memory + 4 * row), 0};
  Pair pair = {0, 0, 0};
  Spot end = find_end(first, second, &space);
  if (end.score > 0) {
    Spot start = find_start(first, second, end, &space);
    const uint8_t *a = first->residue + start.row, *b = second->residue + start.column;
    align(a, end.row - start.row + 1, b, end.column - start.column + 1, kOpen, kOpen, &space);
    walk(a, b, &space, &pair);
  }
  pair.score = end.score;
  free(memory);
  return pair;
}
