// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Taskwaits among many tasks that children have left while all other threads are busy: each lasts
// until the children have run, also where thieves are taking these, and what is left does not pile
// up. Naive version: what leaves the stack is nobody's child and waits in a list without a bound;
// or what a thief is taking counts as done.
// xomp-test: threads=2,3 timeout=60 compilers=gcc,clang skip=asan,tsan
#include <omp.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/resource.h>

#include "check.h"

enum { kRounds = 60000, kMostMore = 16 << 10 }; // kB

static atomic_int over, ran;

static void leave(int count) {
  for (int i = 0; i < count; i++) {
#pragma omp task
    ++ran;
  }
}

static void before_a_group(void) {
#pragma omp task if (0)
  leave(2);
#pragma omp taskgroup
  {
  }
}

static void before_an_icv(void) {
#pragma omp task if (0)
  leave(2);
  omp_set_dynamic(0);
}

static void by_children(void) {
  for (int i = 0; i < 3; i++) {
#pragma omp task
    leave(i > 0);
  }
}

static void by_grandchildren(void) {
#pragma omp task
  {
#pragma omp task
    leave(1);
#pragma omp taskwait
    leave(1);
  }
}

static long peak(void) {
  struct rusage usage;
  CHECK(getrusage(RUSAGE_SELF, &usage) == 0);
  return usage.ru_maxrss;
}

static void leave_in_all_rounds(void (*round)(void)) {
  ran = over = 0;
#pragma omp parallel
  {
    if (omp_get_thread_num() > 0) {
      while (!over)
        sched_yield();
    } else {
      for (int i = 0; i < kRounds; i++) {
        round();
#pragma omp taskwait
      }
      over = 1;
    }
  }
  CHECK(ran == 2 * kRounds);
}

// In a frame of its own: the first theft from it is what the taskwait may overlook.
static void wait_beside_thieves(int count) {
  atomic_int done = 0;
#pragma omp task if (0) shared(done)
  {
    for (int i = 0; i < count; i++) {
#pragma omp task shared(done)
      ++done;
    }
#pragma omp taskwait
    CHECK(done == count);
  }
}

int main(void) {
  void (*const rounds[])(void) = {before_a_group, before_an_icv, by_children, by_grandchildren};
  leave_in_all_rounds(rounds[0]); // what it needs at all
  long before = peak();
  for (int i = 0; i < 4; i++)
    leave_in_all_rounds(rounds[i]);
  CHECK(peak() < before + kMostMore);
#pragma omp parallel
#pragma omp masked
  for (int i = 0; i < 30000; i++)
    wait_beside_thieves(3 + i % 8);
  return 0;
}
