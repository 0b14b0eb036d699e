// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sections: each runs once, lastprivate takes the last one's value, more sections than threads and
// fewer.
// xomp-test: threads=1,2,8 compilers=gcc,clang
#include <omp.h>

#include "check.h"

static void combined(void) {
  int a = 0, b = 0, c = 0, last = -1;
#pragma omp parallel sections lastprivate(last)
  {
#pragma omp section
    {
      a++;
      last = 1;
    }
#pragma omp section
    {
      b++;
      last = 2;
    }
#pragma omp section
    {
      c++;
      last = 3;
    }
  }
  CHECK(a == 1 && b == 1 && c == 1 && last == 3);
}

static void repeated(void) {
  int count[4] = {0, 0, 0, 0}, sum = 0;
#pragma omp parallel
  for (int i = 0; i < 100; ++i) {
#pragma omp sections reduction(+ : sum)
    {
#pragma omp section
      {
        count[0]++;
        sum += 1;
      }
#pragma omp section
      {
        count[1]++;
        sum += 10;
      }
#pragma omp section
      {
        count[2]++;
        sum += 100;
      }
#pragma omp section
      {
        count[3]++;
        sum += 1000;
      }
    }
    CHECK(sum == 1111 * (i + 1));
#pragma omp barrier
  }
  for (int i = 0; i < 4; ++i)
    CHECK(count[i] == 100);
}

static void orphaned(int* runs) {
#pragma omp sections
  {
#pragma omp section
    ++*runs;
#pragma omp section
    ++*runs;
  }
}

static void nested(void) {
  omp_set_max_active_levels(2);
  int runs = 0;
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
#pragma omp parallel sections num_threads(2) reduction(+ : runs)
    {
#pragma omp section
      runs++;
#pragma omp section
      runs++;
    }
#pragma omp section
    {
      int mine = 0;
#pragma omp parallel for num_threads(2) schedule(dynamic) reduction(+ : mine)
      for (int i = 0; i < 10; ++i)
        mine++;
      CHECK(mine == 10);
    }
  }
  CHECK(runs == 2);
}

int main(void) {
  for (int i = 0; i < 200; ++i)
    combined();
  repeated();
  int runs = 0;
  orphaned(&runs);
  CHECK(runs == 2);
  nested();
  return 0;
}
