// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CHECK(condition): a test program ends with 1 and a line that shows the condition when it does not
// hold. repeats(most): how often to do what goes wrong by chance only.
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

// A quarter of it where a recorder or a tool listens, in a run that shows what these are told; the
// runs without them look for the mistake.
static inline int repeats(int most) { return getenv("TEST_LISTENED") ? (most + 3) / 4 : most; }
