// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All tasks come from one `single`, as in the paper's Align: the worker that creates them has found
// no task to execute meanwhile, so it accepts no request, and none is redirected (paper 1, section
// VI.B.1 and Table II). Tasks that create tasks are. Naive version: requests are accepted when a
// task is created; the first tasks all go to those that asked.
// xomp-test: threads=16 env=XOMP_SCHEDULER=na-rp env=XOMP_STATS=verbose timeout=120 compilers=gcc,clang
#include <omp.h>
#include <stdlib.h>
#include <unistd.h>

#include "process.h"

enum { kTasks = 4950, kParents = 64, kChildren = 32 };

static int ran;

static void work(void) {
#pragma omp atomic
  ran++;
}

static void one_creator(void) {
#pragma omp parallel
#pragma omp single
  {
    usleep(20000); // the others have asked, and have fallen asleep
    for (int i = 0; i < kTasks; i++) {
#pragma omp task firstprivate(i)
      {
        if (i % 64 == 0)
          usleep(500);
        work();
      }
    }
  }
  CHECK(ran == kTasks);
}

static void many_creators(void) {
#pragma omp parallel
#pragma omp single
  {
    usleep(20000);
    for (int i = 0; i < kParents; i++) {
#pragma omp task
      for (int j = 0; j < kChildren; j++) {
#pragma omp task
        {
          usleep(500);
          work();
        }
      }
    }
  }
  CHECK(ran == kParents * kChildren);
}

static long stolen(const char* what) {
  struct outcome outcome = run_self(what, NULL, NULL);
  CHECK(outcome.status == 0);
  const char* found = strstr(outcome.output, "tasks given to thieves");
  CHECK(found);
  return atol(found + strlen("tasks given to thieves"));
}

int main(int count, char** arguments) {
  if (count == 2)
    return strcmp(arguments[1], "one") == 0 ? one_creator() : many_creators(), 0;
  CHECK(stolen("one") == 0);
  int tries = 0; // on a busy machine it may be that nobody asks in time
  while (stolen("many") == 0)
    CHECK(++tries < 10);
}
