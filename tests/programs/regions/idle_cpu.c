// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What idle threads cost: docked between regions, in a barrier, and in a taskwait, for a second
// each. By default they spin briefly and sleep; OMP_WAIT_POLICY and GOMP_SPINCOUNT are obeyed.
// Naive version: spinning all the time. A tool adds its own time to what is measured.
// xomp-test: threads=2 timeout=90 serial=1 skip=asan,tsan told=0
#include <omp.h>

#include "process.h"

// Prints the processor time that 1.2 s of idling cost.
static void measure(void) {
  int threads = omp_get_num_procs() > 1 ? 2 : 1; // not oversubscribed: that is a case of its own
  if (getenv("IDLE_THREADS"))
    threads = atoi(getenv("IDLE_THREADS"));
#pragma omp parallel num_threads(threads)
  {
    omp_get_thread_num();
  }
  double before = cpu_seconds();
  usleep(400000); // the others are docked
#pragma omp parallel num_threads(threads)
  {
#pragma omp masked
    usleep(400000); // in the barrier
#pragma omp barrier
#pragma omp masked
    {
#pragma omp task
      usleep(400000);
#pragma omp taskwait
    }
  }
  printf("%.3f\n", cpu_seconds() - before);
}

struct setting {
  const char *variable, *second; // "NAME=value" or null
  double least, most;            // seconds
};

enum { kMost = 8 };

// Those of one call run at once: each sleeps, or spins on one processor.
static void check(const struct setting* settings, int count) {
  struct started started[kMost];
  for (int i = 0; i < count; i++)
    started[i] = start_self("measure", settings[i].variable, settings[i].second);
  for (int i = 0; i < count; i++) {
    struct outcome outcome = end_of(started[i]);
    CHECK(outcome.status == 0);
    double seconds = atof(outcome.output);
    fprintf(stderr, "%s %s: %.3f s\n", settings[i].variable ? settings[i].variable : "default",
            settings[i].second ? settings[i].second : "", seconds);
    CHECK(seconds >= settings[i].least);
    CHECK(seconds < settings[i].most);
  }
}

int main(int argc, char** argv) {
  (void)argv;
  if (argc > 1) {
    measure();
    return 0;
  }
  static const struct setting sleeping[] = {
      {NULL, NULL, 0, 0.3},
      {NULL, "IDLE_THREADS=16", 0, 0.3},
      {"OMP_WAIT_POLICY=passive", NULL, 0, 0.05},
      {"OMP_WAIT_POLICY=passive", "IDLE_THREADS=16", 0, 0.05},
      {"GOMP_SPINCOUNT=0", NULL, 0, 0.05},
      {"GOMP_SPINCOUNT=1000", "IDLE_THREADS=16", 0, 0.1},
  };
  check(sleeping, 6);
  // One thread spins, of two; other programs may leave it little.
  static const struct setting spinning[] = {
      {"OMP_WAIT_POLICY=active", NULL, 0.1, 10},
      {"GOMP_SPINCOUNT=infinity", NULL, 0.1, 10},
  };
  if (omp_get_num_procs() > 1)
    check(spinning, 2);
  return 0;
}
