// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the limit on stacks is taken off, threads have room for what they had room for before, and
// for more. Naive version: they have the C library's two megabytes.
// xomp-test: threads=2,4 skip=asan,tsan compilers=gcc,clang
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "check.h"

static int sum_of_large_array(int value) {
  char array[12 << 20];
  memset(array, value, sizeof array);
  __asm__ volatile("" : : "r"(array) : "memory");
  return array[0] + array[sizeof array - 1];
}

int main(void) {
  struct rlimit limit;
  CHECK(getrlimit(RLIMIT_STACK, &limit) == 0);
  limit.rlim_cur = RLIM_INFINITY;
  if (limit.rlim_max != RLIM_INFINITY || setrlimit(RLIMIT_STACK, &limit) != 0) {
    puts("the limit cannot be taken off here");
    return 0;
  }
#pragma omp parallel
  CHECK(sum_of_large_array(omp_get_thread_num()) == 2 * omp_get_thread_num());
  return 0;
}
