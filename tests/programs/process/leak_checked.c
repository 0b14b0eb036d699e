// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What only the tasks that wait on a thread's stack of tasks know of is not lost: leak checkers are
// told of these stacks. Naive version: it is memory of the system's, at which they do not look.
// Not by clang, whose sanitizer is a package of its own.
// xomp-test: threads=1,2 flags=-fsanitize=address skip=asan,tsan recorded=0 told=0
#include <omp.h>
#include <stdlib.h>

#include "check.h"

/// Where there is another thread, of which some have come to their tasks by then.
static void use(char* memory) {
  CHECK(memory[0] == 0);
  free(memory);
}

__attribute__((noinline)) static void create(void) {
  for (int i = 0; i < 20; ++i) {
    char* memory = calloc(100, 1);
#pragma omp task firstprivate(memory)
    use(memory);
  }
}

/// Nothing is found that only stands where functions have been.
__attribute__((noinline)) static void paint(void) {
  volatile char room[1 << 16];
  for (int i = 0; i < 1 << 16; ++i)
    room[i] = 1;
}

int main(void) {
#pragma omp parallel
#pragma omp masked
  {
    create();
    paint();
    exit(0); // a leak makes another status of it
  }
  return 1;
}
