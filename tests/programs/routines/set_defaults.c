// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a program gives to kmp_set_defaults before it uses OpenMP counts before the environment;
// later the number of threads still does, places do not.
// xomp-test: compilers=clang threads=5 barriers=tree
#include <omp.h>

#include "check.h"

// A function of its own: clang asks for the places as soon as one begins that does so anywhere.
__attribute__((noinline)) static void expect(int threads, int places) {
  CHECK(omp_get_max_threads() == threads && omp_get_num_places() == places);
  int count = 0;
#pragma omp parallel reduction(+ : count)
  count++;
  CHECK(count == threads);
}

int main(void) {
  kmp_set_defaults("OMP_NUM_THREADS=3|KMP_AFFINITY=explicit,proclist=[0,0]");
  expect(3, 2);
  kmp_set_defaults("OMP_NUM_THREADS=4|KMP_AFFINITY=none");
  expect(4, 2);
  return 0;
}
