// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nothing but tasks, each of a few nanoseconds.
#include <stdlib.h>

static long fib(int n) {
  long a, b;
  if (n < 2)
    return n;
#pragma omp task shared(a)
  a = fib(n - 1);
#pragma omp task shared(b)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

int main(int argc, char** argv) {
  long result = 0;
#pragma omp parallel
#pragma omp single
  result = fib(argc > 1 ? atoi(argv[1]) : 20);
  return result < 0;
}
