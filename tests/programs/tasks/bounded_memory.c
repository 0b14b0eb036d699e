// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory does not grow with the number of tasks: many from one loop, a long chain of dependent
// ones, a long chain of tasks that each create the next (constant stack as well). Naive versions: a
// task is always queued (heap without bound), always run at once (a chain recurses), finished tasks
// or entries of the dependence table are kept until the parent ends. BOUNDED_MEMORY_FULL=1 makes it
// 100 million tasks.
// The checking tool keeps what it knows of a task's ancestors, so it has its own way with the
// chain; tests/python/runtime/test_ompt_tool.py runs this under a small tool.
// xomp-test: threads=1,2,8 timeout=120 skip=asan,tsan schedulers=slb,l,na-ws told=0 compilers=gcc,clang
#include <stdint.h>

#include "process.h"

static long counter; // atomic
static uintptr_t lowest = UINTPTR_MAX, highest;
#pragma omp threadprivate(lowest, highest)
static long deepest;

static void count(void) { __atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED); }

static void flat(long tasks) {
  counter = 0;
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < tasks; i++) {
#pragma omp task
    count();
  }
  CHECK(counter == tasks);
}

/// Some 100 nanoseconds each: others take part, all the time, from a creator that goes on.
static void taken(long tasks) {
  counter = 0;
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < tasks; i++) {
#pragma omp task
    {
      for (volatile int step = 0; step < 100; step++) {
      }
      count();
    }
  }
  CHECK(counter == tasks);
}

static void dependent(long tasks) {
  long value = 0;
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < tasks; i++) {
#pragma omp task depend(inout : value) shared(value)
    value++;
  }
  CHECK(value == tasks);
  // Many addresses, each used once.
  static char cells[1 << 20];
  counter = 0;
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < tasks; i++) {
    char* cell = &cells[i % (1 << 20)];
#pragma omp task depend(out : *cell)
    count();
  }
  CHECK(counter == tasks);
}

__attribute__((noinline)) static void chain(long left) {
  uintptr_t here = (uintptr_t)__builtin_frame_address(0);
  if (here < lowest)
    lowest = here;
  if (here > highest)
    highest = here;
  long depth = (long)(highest - lowest);
  if (depth > __atomic_load_n(&deepest, __ATOMIC_RELAXED))
    __atomic_store_n(&deepest, depth, __ATOMIC_RELAXED);
  count();
  if (left > 1) {
#pragma omp task
    chain(left - 1);
  }
}

static void chained(long tasks) {
  counter = 0;
#pragma omp parallel
  {
    lowest = UINTPTR_MAX;
    highest = 0;
#pragma omp single
    {
#pragma omp task
      chain(tasks);
    }
  }
  CHECK(counter == tasks);
  fprintf(stderr, "chain: %ld bytes of stack\n", deepest);
  CHECK(deepest < 5 << 20); // tasks may use half of the stack
}

int main(void) {
  int full = getenv("BOUNDED_MEMORY_FULL") != NULL;
  flat(10000);
  long before = peak_kilobytes();
  flat(full ? 100000000 : 1000000);
  long after_flat = peak_kilobytes();
  taken(300000);
  long after_taken = peak_kilobytes();
  dependent(300000);
  long after_dependent = peak_kilobytes();
  chained(1000000);
  // Outside of all regions, where each is run at once as long as the stack lasts.
  counter = 0;
  chain(1000000);
#pragma omp taskwait
  CHECK(counter == 1000000);
  long after_chain = peak_kilobytes();
  fprintf(stderr, "peak: %ld KB, then flat +%ld, taken +%ld, dependent +%ld, chain +%ld\n", before,
          after_flat - before, after_taken - after_flat, after_dependent - after_taken,
          after_chain - after_dependent);
  CHECK(after_flat - before < 8 * 1024);
  CHECK(after_taken - after_flat < 1024 + 128 * thread_count());
  CHECK(after_dependent - after_taken < 64 * 1024);
  // Each thread may use half of its stack, and as much again for the frames of tasks that are run
  // there one on top of the other. Of clang's each has a block of 256 bytes until it ends, too, and
  // at least 64 bytes of the stack.
#ifdef __clang__
  enum { kBlocks = 16 };
#else
  enum { kBlocks = 0 };
#endif
  CHECK(after_chain - after_dependent < 16 * 1024 + (10 + kBlocks) * 1024 * thread_count());
  return 0;
}
