// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nested regions, again and again and of changing sizes: the right numbers at every level, and
// threads that are used again instead of made anew.
// xomp-test: threads=4 timeout=90 flags=-D_GNU_SOURCE compilers=gcc,clang
#include <omp.h>
#include <sys/syscall.h>

#include "process.h"

static struct {
  long threads[64]; // their numbers in the kernel
  int count;
} met;

static void meet(long thread) {
  int i = 0;
  while (i < met.count && met.threads[i] != thread)
    i++;
  CHECK(i < 64);
  met.threads[i] = thread;
  if (i == met.count)
    met.count++;
}

static void the_same_threads_serve_every_region(void) {
  for (int round = 0; round < 20; round++) {
#pragma omp parallel num_threads(3)
#pragma omp parallel num_threads(3)
#pragma omp critical
    meet(syscall(SYS_gettid));
  }
  CHECK(met.count == 9);
}

int main(void) {
  omp_set_max_active_levels(3);
  long steady = 0;
  for (int round = 0; round < 60; round++) {
    int outer = 1 + round % 4;
    long members = 0, tasks = 0;
#pragma omp parallel num_threads(outer)
    {
      int me = omp_get_thread_num();
      CHECK(omp_get_num_threads() == outer && omp_get_level() == 1);
      int inner = 1 + (me + round) % 3;
      for (int again = 0; again < 2; again++) {
#pragma omp parallel num_threads(inner)
        {
          CHECK(omp_get_num_threads() == inner && omp_get_level() == 2);
          CHECK(omp_get_ancestor_thread_num(1) == me && omp_get_team_size(1) == outer);
          CHECK(omp_get_active_level() == (outer > 1) + (inner > 1));
#pragma omp atomic
          members++;
#pragma omp task
#pragma omp parallel num_threads(2)
          {
            CHECK(omp_get_level() == 3);
#pragma omp atomic
            tasks++;
          }
        }
      }
      CHECK(omp_get_thread_num() == me && omp_get_num_threads() == outer);
    }
    long expected = 0;
    for (int me = 0; me < outer; me++)
      expected += 2 * (1 + (me + round) % 3);
    CHECK(members == expected);
    CHECK(tasks >= expected && tasks <= 2 * expected);
    if (round == 30)
      steady = thread_count();
  }
  fprintf(stderr, "%ld threads, then %ld\n", steady, thread_count());
  CHECK(thread_count() <= steady + 8);
  the_same_threads_serve_every_region();
  return 0;
}
