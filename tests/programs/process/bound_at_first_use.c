// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The process is bound to its place when it first uses OpenMP, not when the library is loaded; a
// child of fork gets back what its parent was free to use, since it may be about to execute another
// program, and is bound again in its next region. What the program chose itself stays, before
// its first use as well.
// Naive version: the library's constructor binds whoever loads it, and all of its children.
// The recorder's own thread has memory when the process forks, which is a leak of the child to the sanitizer.
// xomp-test: skip=tsan recorded=plain flags=-D_GNU_SOURCE threads=2 env=OMP_PROC_BIND=true env=OMP_PLACES=threads compilers=gcc,clang
#include <omp.h>
#include <sched.h>

#include "process.h"

static cpu_set_t all;

static cpu_set_t mine(void) {
  cpu_set_t set;
  CHECK(sched_getaffinity(0, sizeof set, &set) == 0);
  return set;
}

static int uses(const cpu_set_t* expected) {
  cpu_set_t now = mine();
  return CPU_EQUAL(&now, expected) != 0;
}

// The processor with `rank` others of the process before it.
static cpu_set_t alone(int rank) {
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int p = 0; p < CPU_SETSIZE; ++p) {
    if (CPU_ISSET(p, &all) && rank-- == 0)
      CPU_SET(p, &one);
  }
  return one;
}

static void a_region_binds(void) {
  cpu_set_t first = mine();
  int bound = 0;
#pragma omp parallel reduction(+ : bound)
  {
    cpu_set_t now = mine();
    bound += CPU_COUNT(&now) == 1;
    if (omp_get_thread_num() == 0)
      first = now;
  }
  CHECK(bound == omp_get_max_threads());
  CHECK(uses(&first));
  CHECK(omp_get_num_procs() == CPU_COUNT(&all));
}

static void in_child(void (*test)(void)) {
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    test();
    exit(0);
  }
  expect_exit(child, 0);
}

static void is_free_until_its_next_region(void) {
  CHECK(uses(&all));
  a_region_binds();
  cpu_set_t now = mine();
  CHECK(CPU_COUNT(&now) == 1);
  in_child(a_region_binds);
}

static void keeps_the_second(void) {
  cpu_set_t second = alone(1);
  CHECK(uses(&second));
}

static void bound_by_the_program(void) {
  a_region_binds();
  cpu_set_t second = alone(1);
  CHECK(sched_setaffinity(0, sizeof second, &second) == 0);
  in_child(keeps_the_second);
}

static void narrowed_before_first_use(void) {
  cpu_set_t second = alone(1);
  CHECK(sched_setaffinity(0, sizeof second, &second) == 0);
  CHECK(omp_get_place_num() == 0); // where it is in the list
  keeps_the_second();
  int threads = 0;
#pragma omp parallel reduction(+ : threads)
  ++threads;
  CHECK(threads == omp_get_max_threads());
  keeps_the_second();
  in_child(keeps_the_second);
}

static void is_told_all_processors(void) { CHECK(omp_get_num_procs() == CPU_COUNT(&all)); }

int main(void) {
  all = mine();
  in_child(is_told_all_processors); // who asks may be bound afterwards
  if (CPU_COUNT(&all) < 2)
    return 77;
  in_child(bound_by_the_program);
  in_child(narrowed_before_first_use);
  CHECK(uses(&all));
  a_region_binds();
  in_child(is_free_until_its_next_region);
  return 0;
}
