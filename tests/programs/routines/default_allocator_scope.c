// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// def-allocator-var belongs to the implicit task (OpenMP 5.2, table 2.1): an explicit task sets it
// for its thread, and a new region starts with what the thread that opens it has.
// xomp-test: threads=1,2,4 compilers=gcc,clang
#include <omp.h>

#include "check.h"

int main(void) {
#pragma omp parallel
  {
#pragma omp task if (0)
    omp_set_default_allocator(omp_large_cap_mem_alloc);
    CHECK(omp_get_default_allocator() == omp_large_cap_mem_alloc);
  }
  CHECK(omp_get_default_allocator() == omp_default_mem_alloc);
  omp_set_default_allocator(omp_const_mem_alloc);
#pragma omp parallel
  CHECK(omp_get_default_allocator() == omp_const_mem_alloc);
  return 0;
}
