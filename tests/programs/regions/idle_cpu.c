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

static double cost(const char* variable, const char* second) {
  struct outcome outcome = run_self("measure", variable, second);
  CHECK(outcome.status == 0);
  double seconds = atof(outcome.output);
  fprintf(stderr, "%s %s: %.3f s\n", variable ? variable : "default", second ? second : "",
          seconds);
  return seconds;
}

int main(int argc, char** argv) {
  (void)argv;
  if (argc > 1) {
    measure();
    return 0;
  }
  CHECK(cost(NULL, NULL) < 0.3);
  CHECK(cost(NULL, "IDLE_THREADS=16") < 0.3);
  CHECK(cost("OMP_WAIT_POLICY=passive", NULL) < 0.05);
  CHECK(cost("OMP_WAIT_POLICY=passive", "IDLE_THREADS=16") < 0.05);
  CHECK(cost("GOMP_SPINCOUNT=0", NULL) < 0.05);
  CHECK(cost("GOMP_SPINCOUNT=1000", "IDLE_THREADS=16") < 0.1);
  if (omp_get_num_procs() > 1) { // one thread spins, of two; other programs may leave it little
    CHECK(cost("OMP_WAIT_POLICY=active", NULL) > 0.1);
    CHECK(cost("GOMP_SPINCOUNT=infinity", NULL) > 0.1);
  }
  return 0;
}
