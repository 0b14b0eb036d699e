// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The smallest OpenMP program: one region in which every thread says hello to a counter.
// `hello regions` runs a second one and tells how long each took, in microseconds; `hello memory`
// adds what the process occupies at its end, exactly counted by the kernel
// (/proc/self/smaps_rollup, in kB; ru_maxrss is only approximate on recent kernels).
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static void print_memory(void) {
  FILE* file = fopen("/proc/self/smaps_rollup", "r");
  if (file == NULL)
    return;
  long rss = 0, pss = 0, anonymous = 0, value;
  for (char line[256]; fgets(line, sizeof line, file) != NULL;) {
    if (sscanf(line, "Rss: %ld", &value) == 1)
      rss = value;
    if (sscanf(line, "Pss: %ld", &value) == 1)
      pss = value;
    if (sscanf(line, "Anonymous: %ld", &value) == 1)
      anonymous = value;
  }
  fclose(file);
  printf(" rss_kb=%ld pss_kb=%ld anonymous_kb=%ld", rss, pss, anonymous);
}

static int greetings, threads;

static double region(void) {
  struct timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
#pragma omp parallel
  {
#pragma omp atomic
    greetings++;
#pragma omp master
    threads = omp_get_num_threads();
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  return (double)(end.tv_sec - begin.tv_sec) * 1e6 + (double)(end.tv_nsec - begin.tv_nsec) * 1e-3;
}

int main(int argc, char** argv) {
  const char* more = argc > 1 ? argv[1] : "";
  double first = region(), second = 0;
  if (strcmp(more, "regions") == 0) {
    greetings = 0;
    second = region();
  }
  printf("hello threads=%d ok=%d", threads, greetings == threads);
  if (second > 0)
    printf(" first_us=%.2f second_us=%.2f", first, second);
  if (strcmp(more, "memory") == 0)
    print_memory();
  putchar('\n');
  return greetings == threads ? 0 : 1;
}
