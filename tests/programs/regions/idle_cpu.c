// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What idle threads cost: between two regions, in a barrier, and in a taskwait, for a second
// each. By default they spin briefly and sleep; OMP_WAIT_POLICY and GOMP_SPINCOUNT are obeyed.
// Naive version: spinning all the time. A tool adds its own time to what is measured.
// xomp-test: threads=2 timeout=90 skip=asan,tsan told=0 compilers=gcc,clang
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
  usleep(400000); // the others wait for their next region
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

// Prints the processor time that a thread gets in 1.2 s which always has something to do.
static void compute(void) {
  double end = omp_get_wtime() + 1.2;
  while (omp_get_wtime() < end)
    ;
  printf("%.3f\n", cpu_seconds());
}

static double end_and_show(struct started started, const char* variable, const char* second) {
  struct outcome outcome = end_of(started);
  CHECK(outcome.status == 0);
  double seconds = atof(outcome.output);
  fprintf(stderr, "%s %s: %.3f s\n", variable, second ? second : "", seconds);
  return seconds;
}

// All at once: they sleep.
static void check_sleeping(void) {
  static const struct {
    const char *variable, *second;
    double most; // seconds
  } settings[] = {
      {NULL, NULL, 0.3},
      {NULL, "IDLE_THREADS=16", 0.3},
      {"OMP_WAIT_POLICY=passive", NULL, 0.05},
      {"OMP_WAIT_POLICY=passive", "IDLE_THREADS=16", 0.05},
      {"GOMP_SPINCOUNT=0", NULL, 0.05},
      {"GOMP_SPINCOUNT=1000", "IDLE_THREADS=16", 0.1},
  };
  enum { kSettings = sizeof settings / sizeof settings[0] };
  struct started started[kSettings];
  for (int i = 0; i < kSettings; i++)
    started[i] = start_self("measure", settings[i].variable, settings[i].second);
  for (int i = 0; i < kSettings; i++) {
    const char* variable = settings[i].variable ? settings[i].variable : "default";
    CHECK(end_and_show(started[i], variable, settings[i].second) < settings[i].most);
  }
}

// One thread spins, of two. Other programs may leave it little, but not much less than another one
// that always has something to do.
static void check_spinning(void) {
  static const char* const settings[] = {"OMP_WAIT_POLICY=active", "GOMP_SPINCOUNT=infinity"};
  struct started computing = start_self("compute", NULL, NULL);
  struct started first = start_self("measure", settings[0], NULL);
  struct started second = start_self("measure", settings[1], NULL);
  double computed = end_and_show(computing, "computing", NULL);
  CHECK(end_and_show(first, settings[0], NULL) > computed / 20);
  CHECK(end_and_show(second, settings[1], NULL) > computed / 20);
}

int main(int argc, char** argv) {
  if (argc > 1) {
    if (strcmp(argv[1], "compute") == 0)
      compute();
    else
      measure();
    return 0;
  }
  check_sleeping();
  if (omp_get_num_procs() > 1)
    check_spinning();
  return 0;
}
