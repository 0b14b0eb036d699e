// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that changes OMP_NUM_THREADS before it uses OpenMP: of gcc's it has come too late, as
// libgomp has read it by then, of clang's it has not.
// xomp-test: threads=5 barriers=tree recorded=0 told=0 compilers=gcc,clang
#include <omp.h>
#include <stdlib.h>

#include "check.h"

int main(void) {
  CHECK(setenv("OMP_NUM_THREADS", "3", 1) == 0);
#ifdef __clang__
  CHECK(omp_get_max_threads() == 3);
#else
  CHECK(omp_get_max_threads() == 5);
#endif
#pragma omp parallel
  CHECK(omp_get_num_threads() == omp_get_max_threads());
  CHECK(setenv("OMP_NUM_THREADS", "4", 1) == 0);
  CHECK(omp_get_max_threads() != 4);
  return 0;
}
