// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The shapes of uneven work that `balance` measures. A shape counts its work in units; what a unit
// is, `work` in balance.c knows.
#ifndef XOMP_BENCH_SHAPES_H
#define XOMP_BENCH_SHAPES_H

typedef enum { kSleeping, kComputing } Kind;

typedef struct {
  const char* name;
  const char* about;
  void (*run)(int threads);   // opens its region itself
  long (*total)(int threads); // units of all tasks together
  long (*path)(int threads);  // units on the critical path: what no number of threads goes below
  Kind kind;
  int has_priorities; // counts only where the environment allows them
} Shape;

extern const Shape kShapes[]; // ends with a NULL name

// Does that many units of work on the calling thread.
void work(long units);

#endif
