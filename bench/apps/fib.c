// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recursive Fibonacci without a cut-off, the smallest task there is: fib N [both|one|untied].
// `both` makes a task of either call, `one` only of the first, and `untied` is `both` with untied
// tasks, as in the Barcelona suite (BOTS). Prints one line of key=value pairs; exits with 1 if the
// result is wrong.
#include "cpu_time.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long fib_both(int n) {
  if (n < 2)
    return n;
  long x, y;
#pragma omp task shared(x)
  x = fib_both(n - 1);
#pragma omp task shared(y)
  y = fib_both(n - 2);
#pragma omp taskwait
  return x + y;
}

static long fib_one(int n) {
  if (n < 2)
    return n;
  long x, y;
#pragma omp task shared(x)
  x = fib_one(n - 1);
  y = fib_one(n - 2);
#pragma omp taskwait
  return x + y;
}

static long fib_untied(int n) {
  if (n < 2)
    return n;
  long x, y;
#pragma omp task untied shared(x)
  x = fib_untied(n - 1);
#pragma omp task untied shared(y)
  y = fib_untied(n - 2);
#pragma omp taskwait
  return x + y;
}

static const struct variant {
  const char* name;
  long (*run)(int n);
  int tasks_per_split;
} kVariants[] = {{"both", fib_both, 2}, {"one", fib_one, 1}, {"untied", fib_untied, 2}};

static const struct variant* find_variant(const char* name) {
  for (size_t i = 0; i < sizeof kVariants / sizeof *kVariants; i++)
    if (strcmp(kVariants[i].name, name) == 0)
      return &kVariants[i];
  return NULL;
}

static long fib_iterative(int n) {
  long current = 0, next = 1;
  for (; n > 0; n--) {
    long sum = current + next;
    current = next;
    next = sum;
  }
  return current;
}

int main(int argc, char** argv) {
  int n = argc > 1 ? atoi(argv[1]) : 27;
  const struct variant* variant = find_variant(argc > 2 ? argv[2] : "both");
  if (n < 0 || n > 60 || variant == NULL) {
    fprintf(stderr, "usage: fib N [both|one|untied], N from 0 to 60\n");
    return 2;
  }

  int threads = 1;
#pragma omp parallel // starts the threads before the clock does
#pragma omp master
  threads = omp_get_num_threads();

  long result = 0;
  double cpu_start = cpu_time();
  double start = omp_get_wtime();
#pragma omp parallel
#pragma omp single
  result = variant->run(n);
  double seconds = omp_get_wtime() - start;
  double cpu = cpu_time() - cpu_start;

  long expected = fib_iterative(n);
  long splits = fib_iterative(n + 1) - 1; // calls with n >= 2: each of them makes the tasks
  int ok = result == expected;
  printf("fib variant=%s n=%d result=%ld ok=%d tasks=%ld threads=%d seconds=%.9f cpu=%.9f\n",
         variant->name, n, result, ok, splits * variant->tasks_per_split, threads, seconds, cpu);
  return ok ? 0 : 1;
}
