// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks with mutexinoutset on the same variable come after earlier writers and before later ones,
// and never overlap; `in` and `inoutset` tasks of the same variable may. Naive version: the type is
// taken for one whose tasks run side by side.
// xomp-test: schedulers=xqueue-ws,q,l,cq,ws,mts threads=1,2,4,8 timeout=60 compilers=gcc,clang
#include <omp.h>
#include <unistd.h>

#include "check.h"

enum { kTasks = 40, kRounds = 20, kCells = 3 };

static int inside[kCells], sums[kCells]; // plain: exclusion is what is tested

static void enter(int cell) { CHECK(++*(volatile int*)&inside[cell] == 1); }
static void leave(int cell) { CHECK(--*(volatile int*)&inside[cell] == 0); }

static void work(int i) {
  if (i % 4 == 0)
    usleep(50);
}

static void one_variable(void) {
  int x = 0, after = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : x) shared(x)
    {
      usleep(200);
      x = 1000;
    }
    for (int i = 0; i < kTasks; ++i) {
#pragma omp task depend(mutexinoutset : x) shared(x)
      {
        enter(0);
        CHECK(x >= 1000);
        int before = x;
        work(i);
        x = before + 1;
        leave(0);
      }
    }
#pragma omp task depend(in : x) shared(x, after)
    after = x;
#pragma omp task depend(out : x) shared(x)
    x = 7;
  }
  CHECK(after == 1000 + kTasks);
  CHECK(x == 7);
}

// Each task excludes the others on two of three variables, which it names in either order.
static void two_of_three(void) {
  for (int cell = 0; cell < kCells; ++cell)
    sums[cell] = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kTasks; ++i) {
    int one = i % kCells, other = (i + 1 + i / kCells % 2) % kCells;
#pragma omp task depend(mutexinoutset : sums[one], sums[other]) if (i % 10 != 9)
    {
      enter(one);
      enter(other);
      sums[one]++;
      work(i);
      sums[other]++;
      leave(other);
      leave(one);
    }
  }
  CHECK(sums[0] + sums[1] + sums[2] == 2 * kTasks);
}

// The same access by a depend object.
static void by_object(void) {
  int x = 0;
  omp_depend_t object;
#pragma omp depobj(object) depend(mutexinoutset : x)
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < kTasks; ++i) {
#pragma omp task depend(depobj : object) shared(x)
      {
        enter(0);
        int before = x;
        work(i);
        x = before + 1;
        leave(0);
      }
    }
#pragma omp taskwait depend(in : x)
    CHECK(x == kTasks);
  }
#pragma omp depobj(object) destroy
}

int main(void) {
  for (int round = 0; round < kRounds; ++round) {
    one_variable();
    two_of_three();
    by_object();
  }
  return 0;
}
