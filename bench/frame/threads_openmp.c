// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "threads.h"

#include <omp.h>

int start_threads(void) {
  int threads = 1;
#pragma omp parallel
#pragma omp master
  threads = omp_get_num_threads();
  return threads;
}
