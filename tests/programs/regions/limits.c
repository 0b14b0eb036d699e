// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Wishes that the system cannot fulfill: a team of 100,000 threads or of any number, no memory for
// another stack.
// The program gets a smaller team, and is told so once, or ends with a clear message; it never
// crashes or hangs.
// A tool needs memory of its own, and need not bear that there is none.
// xomp-test: threads=1 timeout=120 serial=1 skip=asan,tsan recorded=0 told=0 compilers=gcc,clang
#include <limits.h>
#include <omp.h>
#include <pthread.h>

#include "process.h"

static void region(void) {
  long members = 0, tasks = 0;
#pragma omp parallel
  {
#pragma omp atomic
    members++;
#pragma omp task
#pragma omp atomic
    tasks++;
  }
  CHECK(members >= 1 && members == tasks);
  printf("%ld members\n", members);
}

static void limited(int resource, rlim_t value) {
  struct rlimit limit = {value, value};
  CHECK(setrlimit(resource, &limit) == 0);
  region();
  region();
}

static void without_more_threads(void) {
  // The superuser has no limit on its number of threads.
  if (geteuid() == 0)
    CHECK(setuid(65533) == 0);
  limited(RLIMIT_NPROC, 20);
}

static void expect(const char* what, const char* variable, const char* stack,
                   int clear_error_allowed) {
  struct outcome outcome = run_self(what, variable, stack);
  fprintf(stderr, "--- %s %s: status %x\n%s", what, variable, outcome.status, outcome.output);
  CHECK(outcome.status != -1); // it ended
  CHECK(WIFEXITED(outcome.status));
  int warnings = 0;
  for (const char* at = outcome.output; (at = strstr(at, "could not")); at++)
    warnings++;
  if (WEXITSTATUS(outcome.status) == 0) {
    CHECK(strstr(outcome.output, "members"));
    CHECK(warnings <= 1);
  } else {
    CHECK(clear_error_allowed && strstr(outcome.output, "xomp: "));
  }
}

int main(int argc, char** argv) {
  if (argc > 1) {
    if (strcmp(argv[1], "many") == 0) {
      limited(RLIMIT_AS, 512ul << 20); // the machine's other users want to live
    } else if (strcmp(argv[1], "all") == 0) {
      omp_set_num_threads(INT_MAX);
      struct rlimit memory = {2ul << 30, 2ul << 30};
      CHECK(setrlimit(RLIMIT_AS, &memory) == 0);
      without_more_threads();
    } else if (strcmp(argv[1], "memory") == 0) {
      limited(RLIMIT_AS, 300ul << 20);
    } else {
      without_more_threads();
    }
    return 0;
  }
  // With small stacks it is the C library's heaps, of 64 MiB of addresses each, that end it: at
  // nearly a thousand threads. Twice as many take most of a minute on a machine with much to do.
  expect("many", "OMP_NUM_THREADS=100000", "OMP_STACKSIZE=64K", 1);
  // With the usual ones, the stacks must leave room for what their threads allocate.
  expect("many", "OMP_NUM_THREADS=100000", "OMP_STACKSIZE=8M", 0);
  expect("memory", "OMP_NUM_THREADS=200", "OMP_STACKSIZE=8M", 0);
  expect("threads", "OMP_NUM_THREADS=64", "OMP_STACKSIZE=1M", 0);
  expect("all", "OMP_NUM_THREADS=1", "OMP_STACKSIZE=1M", 0);
  expect("memory", "OMP_NUM_THREADS=4", "OMP_STACKSIZE=1G", 0);
  return 0;
}
