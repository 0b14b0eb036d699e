# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program that tells which runtime it runs on, for the tests of `xomp run` and `xomp info`."""

# Weak, so that it starts on libgomp as well.
PROGRAM = """
#include <stdio.h>
#pragma weak xomp_version
const char* xomp_version(void);
int main(void) {
  int n = 0;
  #pragma omp parallel num_threads(2) reduction(+ : n)
  n++;
  puts(xomp_version ? "xomp" : "another runtime");
  return n != 2;
}
"""
