// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks that wait for one another, created by the first thread that has begun the region, while
// others sleep before it: every thread takes one. Naive version: one that has not begun is called
// for a task, lies down again, and is called for the next task too, in place of one who sleeps in
// the region already.
// xomp-test: threads=16 barriers=tree,central timeout=60 skip=asan,tsan compilers=gcc,clang
#include <omp.h>
#include <stdatomic.h>

#include "check.h"
#include "polling.h"

enum { kRegions = 1500 };

static atomic_int first, running, through;

static void create(int tasks) {
  for (int i = 0; i < tasks; ++i) {
#pragma omp task
    {
      atomic_fetch_add(&running, 1);
      poll_until(&through, 1);
    }
  }
  poll_until(&running, tasks);
  atomic_store(&through, 1);
}

int main(void) {
  for (int region = 0; region < repeats(kRegions); ++region) {
    first = running = through = 0;
#pragma omp parallel
    if (omp_get_thread_num() != 0 && atomic_fetch_add(&first, 1) == 0)
      create(omp_get_num_threads() - 1);
    CHECK(running == omp_get_max_threads() - 1);
  }
  return 0;
}
