// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work of a given length, in thousands of additions that no compiler removes.
#pragma once
static double work(long thousands) {
  volatile double sum = 0;
  for (long i = 0; i < thousands * 1000; i++)
    sum += 1;
  return sum;
}
