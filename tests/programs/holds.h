// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// HOLDS(condition): as CHECK (check.h), where a program may not run its exit handlers: in those
// themselves, and in a tool's callbacks.
#pragma once
#include <stdio.h>
#include <unistd.h>

#define HOLDS(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                              \
      _exit(1);                                                                                    \
    }                                                                                              \
  } while (0)
