// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the runtime occupies: memory TASKS starts the threads in an empty region, then creates that
// many tasks in one loop, and prints in kB what is not from files (/proc/self/smaps_rollup: heaps,
// stacks, the data of libraries) before the region and before the first task, and the peak of
// everything at the end (VmHWM).
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static atomic_long run;

static long read_kb(const char* path, const char* format) {
  FILE* file = fopen(path, "r");
  long found = 0;
  if (file == NULL)
    return 0;
  for (char line[256]; fgets(line, sizeof line, file) != NULL;)
    sscanf(line, format, &found);
  fclose(file);
  return found;
}

static long anonymous_kb(void) { return read_kb("/proc/self/smaps_rollup", "Anonymous: %ld"); }

static int start_threads(void) {
  int threads = 0;
#pragma omp parallel
#pragma omp master
  threads = omp_get_num_threads();
  return threads;
}

static void create(long tasks) {
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < tasks; i++) {
#pragma omp task
    atomic_fetch_add_explicit(&run, 1, memory_order_relaxed);
  }
}

int main(int argc, char** argv) {
  long tasks = argc == 2 ? strtol(argv[1], NULL, 10) : -1;
  if (tasks < 0) {
    fprintf(stderr, "memory: expected a number of TASKS\n");
    return 2;
  }
  long empty = anonymous_kb();
  int threads = start_threads();
  long before = anonymous_kb();
  create(tasks);
  long peak = read_kb("/proc/self/status", "VmHWM: %ld");
  int ok = atomic_load(&run) == tasks;
  printf("memory threads=%d tasks=%ld empty_kb=%ld before_kb=%ld peak_kb=%ld ok=%d\n", threads,
         tasks, empty, before, peak, ok);
  return ok ? 0 : 1;
}
