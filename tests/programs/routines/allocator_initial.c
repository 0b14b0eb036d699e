// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OMP_ALLOCATOR gives def-allocator-var of every initial task; regions inherit what their creator
// has. Naive version: it reaches the regions, but not the code around them, or not target regions.
// xomp-test: threads=1,3 env=OMP_ALLOCATOR=omp_large_cap_mem_alloc compilers=gcc,clang
#include <omp.h>
#include <pthread.h>

#include "check.h"

static int is(omp_allocator_handle_t expected) { return omp_get_default_allocator() == expected; }

/// A region has what its creator has, and what it sets itself does not go out.
static void regions(omp_allocator_handle_t expected) {
  int wrong = !is(expected);
#pragma omp parallel reduction(+ : wrong)
  {
    wrong += !is(expected);
    omp_set_default_allocator(omp_const_mem_alloc);
#pragma omp parallel num_threads(2) reduction(+ : wrong)
    wrong += !is(omp_const_mem_alloc);
  }
  CHECK(wrong == 0);
  CHECK(is(expected));
}

static void* other_thread(void* argument) {
  regions(omp_large_cap_mem_alloc);
  return argument;
}

int main(void) {
  regions(omp_large_cap_mem_alloc);
  omp_set_default_allocator(omp_high_bw_mem_alloc);
  regions(omp_high_bw_mem_alloc);
#ifndef __clang__ // whose target regions are part of the function
  for (int round = 0; round < 2; round++) {
    int right = 0;
#pragma omp target map(tofrom : right)
    right = is(omp_large_cap_mem_alloc);
    CHECK(right);
  }
#endif
  CHECK(is(omp_high_bw_mem_alloc));
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, other_thread, NULL) == 0);
  pthread_join(thread, NULL);
}
