// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks with mutexinoutset on the same variable exclude one another, but none has to wait for one
// that cannot run yet: not for a task that some other dependence holds up, not for one that lacks
// another of its variables. Naive version: they are ordered as they were created, and the programs
// below in which the later one is the only way forward hang.
// xomp-test: threads=1,2,4,8 schedulers=slb,q,ws,mts timeout=60 env=OMP_CANCELLATION=true compilers=gcc,clang
#include <omp.h>
#include <unistd.h>

#include "check.h"
#include "polling.h"

enum { kRounds = 20, kCells = 12, kTasks = 120 };

static int inside[kCells];
static int sums[kCells]; // plain: exclusion is what is tested

static void enter(int cell) { CHECK(++*(volatile int*)&inside[cell] == 1); }
static void leave(int cell) { CHECK(--*(volatile int*)&inside[cell] == 0); }

// The first task comes after one whose event the second fulfills.
static void first_held_by_another_dependence(void) {
  int x = 0, y = 0;
  omp_event_handle_t event;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : y) detach(event) shared(y)
    y = 1;
#pragma omp task depend(in : y) depend(mutexinoutset : x) shared(x, y)
    CHECK(x++ == 1 && y == 1);
#pragma omp task depend(mutexinoutset : x) shared(x)
    {
      CHECK(x++ == 0);
      omp_fulfill_event(event);
    }
  }
  CHECK(x == 2);
}

#ifndef __clang__ // whose program waits for the dependences of such a task (docs/abi.md)
// The same where the second is not deferred: its creator may not wait for the first. So in a final
// task, where none is.
static void second_undeferred(int final_) {
  int x = 0, y = 0;
  omp_event_handle_t event;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : y) detach(event) shared(y)
    y = 1;
#pragma omp task depend(in : y) depend(mutexinoutset : x) shared(x, y)
    CHECK(x++ == 1 && y == 1);
#pragma omp task depend(mutexinoutset : x) shared(x) if (0) final(final_)
    CHECK(x++ == 0);
    omp_fulfill_event(event);
  }
  CHECK(x == 2);
}
#endif

// Of three neighbours the outer two share nothing: the first ends when the last has begun. The one
// between them waits for either.
static void neighbours(void) {
  int a, b, c, d;
  (void)a, (void)b, (void)c, (void)d; // they have addresses only
  atomic_int begun = 0;
  int ran = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(mutexinoutset : a, b) shared(begun)
    poll_until(&begun, 1);
#pragma omp task depend(mutexinoutset : b, c) shared(ran)
    ran++;
#pragma omp task depend(mutexinoutset : c, d) shared(begun)
    atomic_store(&begun, 1);
  }
  CHECK(ran == 1);
}

// A task is complete when its event is fulfilled, and excludes others until then.
static void detached(void) {
  int x = 0;
  atomic_int fulfilled = 0;
  omp_event_handle_t event;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(mutexinoutset : x) detach(event) shared(x)
    x++;
#pragma omp task depend(mutexinoutset : x) shared(x, fulfilled)
    CHECK(x++ == 1 && atomic_load(&fulfilled) == 1);
#pragma omp task shared(fulfilled)
    {
      usleep(100);
      atomic_store(&fulfilled, 1);
      omp_fulfill_event(event);
    }
  }
  CHECK(x == 2);
}

// Two or three variables of many, in any order, some tasks deferred and some not.
static void many_items(void) {
  unsigned state = 1;
  for (int i = 0; i < kCells; ++i)
    sums[i] = 0;
  int wanted = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kTasks; ++i) {
    state = state * 1664525 + 1013904223;
    int one = state >> 8 & 3, two = 4 + (state >> 12 & 3), three = 8 + (state >> 16 & 3);
    int swapped = state >> 20 & 1, late = (state >> 24 & 15) == 0;
    int first = swapped ? three : one, last = swapped ? one : three;
    wanted += 3;
#pragma omp task depend(mutexinoutset : sums[first], sums[two], sums[last]) if (!late)
    {
      enter(first);
      enter(two);
      enter(last);
      sums[first]++;
      if (i % 8 == 0)
        usleep(20);
      sums[two]++;
      sums[last]++;
      leave(last);
      leave(two);
      leave(first);
    }
  }
  int sum = 0;
  for (int i = 0; i < kCells; ++i)
    sum += sums[i];
  CHECK(sum == wanted);
}

// All of a set come after what was before it and before what is after it.
static void between_others(void) {
  int x = 0, readers = 0;
#pragma omp parallel
#pragma omp single
  for (int phase = 0; phase < 5; ++phase) {
    int base = phase * 100;
#pragma omp task depend(out : x) shared(x)
    {
      usleep(20);
      x = base;
    }
    for (int i = 0; i < 10; ++i) {
#pragma omp task depend(mutexinoutset : x) shared(x)
      {
        CHECK(x >= base && x < base + 10);
        x++;
      }
    }
    for (int i = 0; i < 3; ++i) {
#pragma omp task depend(in : x) shared(x, readers)
      {
        CHECK(x == base + 10);
#pragma omp atomic
        readers++;
      }
    }
    for (int i = 0; i < 10; ++i) {
#pragma omp task depend(mutexinoutset : x) shared(x)
      {
        CHECK(x >= base + 10 && x < base + 20);
        x++;
      }
    }
#pragma omp task depend(inout : x) shared(x)
    CHECK(x == base + 20);
  }
  CHECK(readers == 15);
}

// Tasks that wait for a variable when their group is cancelled are discarded, and let others by.
static void cancelled(void) {
  int x = 0, after = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    for (int i = 0; i < 30; ++i) {
#pragma omp task depend(mutexinoutset : x) shared(x)
      {
        x++;
        usleep(50);
#pragma omp cancel taskgroup
      }
    }
    // One of another group.
#pragma omp task depend(mutexinoutset : x) shared(x, after)
    after = x + 1;
#pragma omp taskwait
    CHECK(after == x + 1 && x > 0);
  }
}

// Their parent ends first.
static void orphans(void) {
  int x = 0;
  omp_event_handle_t event;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task shared(x, event) depend(out : event)
    {
#pragma omp task depend(mutexinoutset : x) detach(event) shared(x)
      x++;
      for (int i = 0; i < 10; ++i) {
#pragma omp task depend(mutexinoutset : x) shared(x)
        x++;
      }
    }
#pragma omp task shared(event) depend(in : event)
    {
      usleep(50);
      omp_fulfill_event(event);
    }
  }
  CHECK(x == 11);
}

int main(void) {
  for (int round = 0; round < kRounds; ++round) {
    first_held_by_another_dependence();
#ifndef __clang__
    second_undeferred(0);
    second_undeferred(1);
#endif
    if (omp_get_max_threads() > 1)
      neighbours();
    detached();
    many_items();
    between_others();
    cancelled();
    orphans();
  }
  return 0;
}
