// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A malformed variable gives one warning that names it and its value, and the default; the program
// runs as if it were not there.
// xomp-test: threads=2 barriers=tree timeout=120 compilers=gcc,clang
#include <omp.h>

#include "process.h"

static const char* const kBad[] = {
    "OMP_NUM_THREADS=-3",
    "OMP_NUM_THREADS=2,x",
    "OMP_NUM_THREADS=99999999999999999999",
    "OMP_DYNAMIC=maybe",
    "OMP_SCHEDULE=fastest,2",
    "OMP_SCHEDULE=static,-1",
    "OMP_STACKSIZE=1Q",
    "OMP_WAIT_POLICY=lazy",
    "OMP_MAX_ACTIVE_LEVELS=-1",
    "OMP_THREAD_LIMIT=zero",
    "OMP_CANCELLATION=7up",
    "OMP_MAX_TASK_PRIORITY=-4",
    "OMP_PROC_BIND=sideways",
    "OMP_PLACES={0:",
    "GOMP_SPINCOUNT=many",
    "GOMP_CPU_AFFINITY=0-",
    "XOMP_QUEUE_SIZE=3",
    "XOMP_BARRIER=fence",
    "XOMP_SCHEDULER=magic",
    "XOMP_TOPOLOGY=numa:8 core",
    "XOMP_LOCALITY=elsewhere",
    "XOMP_CHUNK=0",
    "OMP_DISPLAY_ENV=perhaps",
    "OMP_TARGET_OFFLOAD=sometimes",
    "OMP_DEFAULT_DEVICE=minus",
    "OMP_NUM_TEAMS=-1",
    "OMP_TEAMS_THREAD_LIMIT=x",
    "OMP_ALLOCATOR=omp_no_alloc",
    "OMP_DISPLAY_AFFINITY=maybe",
    "OMP_NESTED=both",
};

static void region(void) {
  int sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 100; i++)
    sum += i;
  CHECK(sum == 4950);
}

static int count(const char* text, const char* word) {
  int n = 0;
  for (const char* at = text; (at = strstr(at, word)); at += strlen(word))
    n++;
  return n;
}

int main(int argc, char** argv) {
  (void)argv;
  region();
  if (argc > 1)
    return 0;
  int failures = 0;
  for (unsigned i = 0; i < sizeof kBad / sizeof *kBad; i++) {
    char name[64];
    const char* value = strchr(kBad[i], '=') + 1;
    snprintf(name, sizeof name, "%.*s", (int)(value - kBad[i] - 1), kBad[i]);
    struct outcome outcome = run_self("again", kBad[i], NULL);
    CHECK(outcome.status == 0);
    if (count(outcome.output, "\n") != 1 || !strstr(outcome.output, name) ||
        !strstr(outcome.output, value)) {
      fprintf(stderr, "%s: \"%s\"\n", kBad[i], outcome.output);
      failures++;
    }
  }
  CHECK(failures == 0);
  return 0;
}
