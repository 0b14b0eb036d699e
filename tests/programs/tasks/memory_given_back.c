// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a region needed for its tasks goes back to the system when many later ones need less. Naive
// version: each worker keeps the most that it ever needed, and a program that runs for days ends
// with the sum of all workers' worst moments; or those that are left out of smaller regions keep
// it, or all where each region has another number of threads.
// xomp-test: threads=1,2,4 skip=asan,tsan compilers=gcc,clang
#include <malloc.h>
#include <omp.h>

#include "check.h"

enum { kTasks = 1000, kRegions = 600 };
struct Block {
  char bytes[700];
};

static size_t in_use(void) { return mallinfo2().uordblks; }

// None of them can run before the event, so all of them are kept at once. Returns what is in use
// then.
static size_t many_tasks(void) {
  char start = 0; // only its address counts
  (void)start;
  int ran = 0;
  size_t most = 0;
  struct Block block = {{0}};
#pragma omp parallel
#pragma omp single
  {
    omp_event_handle_t event;
#pragma omp task depend(out : start) detach(event)
    {
    }
    for (int i = 0; i < kTasks; i++) {
#pragma omp task depend(in : start) firstprivate(block) shared(ran)
      __atomic_fetch_add(&ran, block.bytes[i % 700] + 1, __ATOMIC_RELAXED);
    }
    most = in_use();
    omp_fulfill_event(event);
  }
  CHECK(ran == kTasks);
  return most;
}

static void few_tasks(int threads) {
#pragma omp parallel num_threads(threads)
  {
#pragma omp task
    {
    }
  }
}

// In regions of so many threads, alternately.
static void check(int threads, int others) {
  few_tasks(omp_get_max_threads());
  size_t before = in_use();
  size_t most = many_tasks();
  CHECK(most > before + kTasks * sizeof(struct Block));
  for (int i = 0; i < kRegions; i++)
    few_tasks(i % 2 ? others : threads);
  size_t after = in_use();
  CHECK(after < before + (most - before) / 4);
}

int main(void) {
  int all = omp_get_max_threads();
  check(all, all);
  int fewer = all > 2 ? all - 1 : all;
  check(fewer, fewer);
  check(all, fewer);
  return 0;
}
