// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks that go on after their parent has ended: an undeferred parent lived on a stack that is used
// for something else by then. Naive version: a child tells its parent that it is done by a counter
// in the parent's frame.
// xomp-test: schedulers=xqueue-ws,q,l,cq,ws,mts threads=2,4,8 env=XOMP_QUEUE_SIZE=4 timeout=60 compilers=gcc,clang
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

#include "check.h"

namespace {

std::atomic<long> ran;

// Overwrites the stack that ended tasks used.
[[gnu::noinline]] void scribble(int byte) {
  char area[4096];
  memset(area, byte, sizeof area);
  for (char cell : area)
    CHECK(cell == static_cast<char>(byte));
}

void slow_child(int n) {
  for (int i = 0; i < n % 5; ++i)
    sched_yield();
  if (n % 50 == 0)
    usleep(100);
  ran++;
  if (n % 3 == 0) {
#pragma omp task
    ran++;
  }
}

void parent(int n) {
#pragma omp task
  slow_child(n);
#pragma omp task if (0)
  {
#pragma omp task
    slow_child(n + 1);
  }
}

} // namespace

int main() {
  for (int round = 0; round < 100; ++round) {
    ran = 0;
    long expected = 0;
    auto count = [](int n) { return 1 + (n % 3 == 0); };
    for (int i = 0; i < 60; ++i)
      expected += count(i) + count(i + 1);
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskgroup
      for (int i = 0; i < 60; ++i) {
        if (i % 4 == 0) {
#pragma omp task if (0)
          parent(i);
        } else if (i % 4 == 1) {
#pragma omp task
          parent(i);
        } else if (i % 4 == 2) {
#pragma omp task final(0)
          parent(i);
        } else {
          parent(i);
        }
        scribble(i & 0x7f);
      }
      CHECK(ran == expected);
    }
  }
}
