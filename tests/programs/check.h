// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CHECK(condition): a test program ends with 1 and a line that shows the condition when it does not
// hold.
#pragma once
#include <stdio.h>
#include <stdlib.h>

#define CHECK_OR(leave, condition)                                                                 \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                              \
      leave(1);                                                                                    \
    }                                                                                              \
  } while (0)
#define CHECK(condition) CHECK_OR(exit, condition)
