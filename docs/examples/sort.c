// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Merge sort with a task for each half, of two million numbers: what the example of a report was
// recorded of.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void merge(int* numbers, int* spare, long left, long right) {
  long i = 0, j = left, at = 0;
  while (i < left && j < left + right)
    spare[at++] = numbers[i] <= numbers[j] ? numbers[i++] : numbers[j++];
  memcpy(spare + at, numbers + i, (size_t)(left - i) * sizeof *numbers);
  memcpy(numbers, spare, (size_t)(at + left - i) * sizeof *numbers);
}

static void sort(int* numbers, int* spare, long count) {
  if (count < 2)
    return;
  long left = count / 2;
  if (count > 1000) {
#pragma omp task
    sort(numbers, spare, left);
#pragma omp task
    sort(numbers + left, spare + left, count - left);
#pragma omp taskwait
  } else {
    sort(numbers, spare, left);
    sort(numbers + left, spare + left, count - left);
  }
  merge(numbers, spare, left, count - left);
}

int main(void) {
  long count = 2000000;
  int* numbers = malloc((size_t)count * sizeof *numbers);
  int* spare = malloc((size_t)count * sizeof *spare);
  unsigned random = 1;
  for (long i = 0; i < count; ++i)
    numbers[i] = (int)((random = random * 1664525 + 1013904223) >> 8);
#pragma omp parallel
#pragma omp single
  sort(numbers, spare, count);
  for (long i = 1; i < count; ++i)
    if (numbers[i - 1] > numbers[i])
      return 1;
  printf("%ld numbers in order\n", count);
  free(spare);
  free(numbers);
  return 0;
}
