// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A pipeline of one item at a time: 100,000 pairs of tasks, each of which depends on the one
// before, all made by one thread. The tasks do next to nothing, so what is measured is what
// dependences cost.
//
//   gcc -O2 -fopenmp docs/examples/chain.c -o chain
//   ./chain                 # on libgomp
//   ./xomp run ./chain      # on xomp
#include <omp.h>
#include <stdio.h>

#ifndef PAIRS
#define PAIRS 100000
#endif

int main(void) {
  long item = 0, sum = 0;
  double seconds = omp_get_wtime();
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < PAIRS; i++) {
#pragma omp task shared(item) depend(out : item)
    item = i;
#pragma omp task shared(item, sum) depend(in : item) depend(inout : sum)
    sum += item;
  }
  seconds = omp_get_wtime() - seconds;
  printf("%d pairs of tasks in %.3f s\n", PAIRS, seconds);
  return sum != PAIRS * (PAIRS - 1L) / 2;
}
