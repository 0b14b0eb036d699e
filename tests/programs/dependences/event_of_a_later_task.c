// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Creating a task never waits for an event that only a task created later fulfills, however many
// successors wait for their turn. Naive version: a creator that has left too many waiting tasks
// behind waits for the predecessors of the next one.
// xomp-test: threads=1,2,4 timeout=60 compilers=gcc,clang
#include <omp.h>
#include <stdatomic.h>
#include <time.h>

#include "check.h"

enum { kTasks = 4000 };

static char cell[kTasks];
static atomic_int successors;

static void linger(void) {
  struct timespec time = {0, 20000};
  nanosleep(&time, NULL);
  successors++;
}

int main(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kTasks; i++) {
    omp_event_handle_t event;
#pragma omp task detach(event) depend(out : cell[i])
    cell[i] = 1;
#pragma omp task depend(in : cell[i])
    linger();
#pragma omp task firstprivate(event)
    omp_fulfill_event(event);
  }
  CHECK(successors == kTasks);
}
