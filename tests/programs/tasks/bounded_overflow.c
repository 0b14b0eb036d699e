// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks that events make ready are shown to every worker, and run by their parent's when the others
// are busy: nothing is kept of them. Naive version: only who looks for work takes the stale entries
// off, so that memory grows, and each taskwait goes through all of it.
// xomp-test: schedulers=xqueue-ws,q,l,cq,ws,mts threads=2 timeout=60 compilers=gcc,clang
#include <omp.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <unistd.h>

#include "check.h"

enum { kRounds = 200000 };

static atomic_int over;
static int runs;

static long peak_kib(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

static void round_of_an_event(void) {
  char cell __attribute__((unused)) = 0;
  omp_event_handle_t event;
#pragma omp task detach(event) depend(out : cell)
  runs++;
  for (int i = 0; i < 3; i++) {
#pragma omp task depend(inout : cell)
    runs++;
  }
  omp_fulfill_event(event);
#pragma omp taskwait
}

int main(void) {
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 1) {
    while (!over)
      usleep(1000);
  } else {
    for (int i = 0; i < 1000; i++)
      round_of_an_event();
    long before = peak_kib();
    for (int i = 0; i < kRounds; i++)
      round_of_an_event();
    CHECK(peak_kib() < before + 2048);
    over = 1;
  }
  CHECK(runs == 4 * (kRounds + 1000));
}
