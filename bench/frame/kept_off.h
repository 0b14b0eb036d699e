// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For how long the threads of this process were ready but had no processor, because others had all:
// the second number of each thread's schedstat. A machine that is not idle can be told by it.
#ifndef XOMP_BENCH_KEPT_OFF_H
#define XOMP_BENCH_KEPT_OFF_H

#include <dirent.h>
#include <stdio.h>

// Seconds summed over the threads that there are now; 0 where the kernel does not count them.
static inline double kept_off_seconds(void) {
  DIR* threads = opendir("/proc/self/task");
  if (threads == NULL)
    return 0;
  unsigned long long sum = 0;
  for (struct dirent* entry; (entry = readdir(threads)) != NULL;) {
    if (entry->d_name[0] == '.')
      continue;
    char path[512];
    snprintf(path, sizeof path, "/proc/self/task/%s/schedstat", entry->d_name);
    FILE* file = fopen(path, "r");
    if (file == NULL)
      continue;
    unsigned long long ran, waited;
    if (fscanf(file, "%llu %llu", &ran, &waited) == 2)
      sum += waited;
    fclose(file);
  }
  closedir(threads);
  return (double)sum * 1e-9;
}

#endif
