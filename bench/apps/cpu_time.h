// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Processor time that all threads of the process have used. Unlike the wall time it does not count
// the time in which other programs had the processor, but it does count spinning.
#ifndef XOMP_BENCH_CPU_TIME_H
#define XOMP_BENCH_CPU_TIME_H

#include <time.h>

static inline double cpu_time(void) {
  struct timespec used;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return used.tv_sec + used.tv_nsec * 1e-9;
}

#endif
