// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// As many tasks as there are threads, each of which waits until all of them run: every thread has
// to come for one, wherever it sleeps, and one of them opens the next level. Shapes, pauses and the
// thread that creates are drawn at random. Naive versions: a thread is called for two tasks and
// another one for none; what a thief has taken along lies where nobody looks.
// xomp-test: threads=2,3,5,16 barriers=tree,central timeout=120 skip=asan,tsan compilers=gcc,clang
#include <omp.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#include "check.h"

enum { kRounds = 300, kMostLevels = 3 };

typedef struct {
  atomic_int inside;
  int expected;
} Meeting;

static atomic_int meetings, small;

static unsigned draw(unsigned* state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

static void pause_a_bit(unsigned drawn) {
  unsigned length = drawn / 4;
  switch (drawn % 4) {
  case 0:
    break;
  case 1:
    usleep(length % 200);
    break;
  case 2:
    for (volatile unsigned i = 0; i < length % 3000; ++i)
      continue;
    break;
  case 3:
    sched_yield();
  }
}

static void open_level(int levels, unsigned drawn);

/// The task of number 0 opens the next level.
static void take_part(Meeting* meeting, int number, int levels, unsigned drawn) {
  pause_a_bit(draw(&drawn));
  atomic_fetch_add(&meeting->inside, 1);
  while (atomic_load(&meeting->inside) < meeting->expected)
    usleep(50);
  if (number > 0)
    return;
  ++meetings;
  if (levels > 0)
    open_level(levels - 1, draw(&drawn));
}

static void plain(Meeting* meeting, int first, int step, int levels, unsigned drawn) {
  int tasks = meeting->expected;
  for (int i = first; i < tasks; i += step) {
    pause_a_bit(draw(&drawn));
#pragma omp task firstprivate(i, drawn)
    take_part(meeting, i, levels, drawn);
  }
}

static void among_small_ones(Meeting* meeting, int levels, unsigned drawn) {
  int tasks = meeting->expected;
  for (int i = 0; i < tasks; ++i) {
    for (unsigned n = draw(&drawn) % 20; n > 0; --n) {
#pragma omp task
      ++small;
    }
#pragma omp task firstprivate(i, drawn)
    take_part(meeting, i, levels, drawn);
  }
}

static void released_by_one(Meeting* meeting, int levels, unsigned drawn) {
  char cell = 0;
  (void)cell;
  int tasks = meeting->expected;
#pragma omp task depend(out : cell)
  usleep(30);
  for (int i = 0; i < tasks; ++i) {
    unsigned own = draw(&drawn);
#pragma omp task firstprivate(i, own) depend(in : cell)
    take_part(meeting, i, levels, own);
  }
#pragma omp taskwait
}

static void by_priority(Meeting* meeting, int levels, unsigned drawn) {
  int tasks = meeting->expected;
  for (int i = 0; i < tasks; ++i) {
    unsigned own = draw(&drawn);
#pragma omp task firstprivate(i, own) priority(own % 3) untied
    take_part(meeting, i, levels, own);
  }
#pragma omp taskwait
}

static void open_level(int levels, unsigned drawn) {
  Meeting here = {0, omp_get_num_threads()};
  Meeting* meeting = &here;
  switch (draw(&drawn) % 8) {
  case 0:
    plain(meeting, 0, 1, levels, drawn);
#pragma omp taskwait
    break;
  case 1:
#pragma omp taskgroup
    plain(meeting, 0, 1, levels, drawn);
    break;
  case 2:
    released_by_one(meeting, levels, drawn);
    break;
  case 3: // created by a task that waits, in one that waits
#pragma omp task
  {
    plain(meeting, 0, 1, levels, drawn);
#pragma omp taskwait
  }
#pragma omp taskwait
  break;
  case 4: // by two that do not
#pragma omp taskgroup
    for (int half = 0; half < 2; ++half) {
#pragma omp task firstprivate(half)
      plain(meeting, half, 2, levels, drawn);
    }
    break;
  case 5:
    among_small_ones(meeting, levels, drawn);
#pragma omp taskwait
    break;
  case 6:
#pragma omp taskloop grainsize(1) firstprivate(meeting, drawn)
    for (int i = 0; i < meeting->expected; ++i)
      take_part(meeting, i, levels, drawn + (unsigned)i);
    break;
  case 7:
    by_priority(meeting, levels, drawn);
    break;
  }
}

int main(void) {
  int expected = 0;
  for (unsigned round = 0; round < (unsigned)repeats(kRounds); ++round) {
    unsigned drawn = round * 104729u;
    int creator = (int)(draw(&drawn) % (unsigned)omp_get_max_threads());
    int levels = (int)(draw(&drawn) % kMostLevels);
    int style = (int)(draw(&drawn) % 3);
    expected += levels + 1;
#pragma omp parallel firstprivate(drawn)
    {
      unsigned own = drawn + (unsigned)omp_get_thread_num();
      pause_a_bit(draw(&own));
      if (style == 0) {
#pragma omp single
        open_level(levels, drawn);
      } else {
        if (style == 1) {
#pragma omp barrier
        }
        if (omp_get_thread_num() == creator)
          open_level(levels, drawn);
      }
    }
    CHECK(meetings == expected);
  }
  return 0;
}
