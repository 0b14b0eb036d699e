// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A region's threads round as the one that opens it does, also those that were there before it
// changed its mind; what the body changes on that thread is taken back.
// xomp-test: threads=1,2,4 libs=-lm compilers=clang
#include <fenv.h>
#include <omp.h>

#include "check.h"

static volatile double one = 1, three = 3;

static void check_region(double expected) {
#pragma omp parallel
  CHECK(one / three == expected);
}

int main(void) {
  double nearest = one / three;
  check_region(nearest);
  fesetround(FE_UPWARD);
  double up = one / three;
  CHECK(up > nearest);
  check_region(up);
#pragma omp parallel
  {
    CHECK(one / three == up);
    fesetround(FE_TONEAREST);
  }
  CHECK(fegetround() == FE_UPWARD);
  check_region(up);
  double a = 0, b = 0, c = 0, d = 0;
  // With more variables than come with the call.
#pragma omp parallel firstprivate(a, b, c, d)
  CHECK(one / three == up && a + b + c + d == 0);
  fesetround(FE_TONEAREST);
  check_region(nearest);
  return 0;
}
