// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The smallest OpenMP program: one region in which every thread says hello to a counter.
// `hello memory` adds what the process occupies at its end, exactly counted by the kernel
// (/proc/self/smaps_rollup, in kB; ru_maxrss is only approximate on recent kernels).
#include <omp.h>
#include <stdio.h>
#include <string.h>

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

int main(int argc, char** argv) {
  int greetings = 0, threads = 0;
#pragma omp parallel
  {
#pragma omp atomic
    greetings++;
#pragma omp master
    threads = omp_get_num_threads();
  }
  printf("hello threads=%d ok=%d", threads, greetings == threads);
  if (argc > 1 && strcmp(argv[1], "memory") == 0)
    print_memory();
  putchar('\n');
  return greetings == threads ? 0 : 1;
}
