// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks of every kind end, with the right results, under each scheduler: the program starts itself
// once for each, with small queues, and with larger and smaller teams in turn.
// xomp-test: threads=1,2,4,16 timeout=120 compilers=gcc,clang
#include <omp.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "process.h"

static const char* const kSchedulers[] = {
#define XOMP_SCHEDULER(kind, name) name,
#include "../../../runtime/conf/schedulers.def"
};

static long fib(int n) {
  if (n < 2)
    return n;
  long left, right;
#pragma omp task shared(left)
  left = fib(n - 1);
#pragma omp task shared(right)
  right = fib(n - 2);
#pragma omp taskwait
  return left + right;
}

static void work(int rounds) {
  double x = 1;
  for (int i = 0; i < rounds; ++i)
    x = x * 1.000001 + 1;
  [[maybe_unused]] volatile double sink = x;
}

/// One producer, tasks of different lengths, some of which create others.
static void uneven(int tasks) {
  std::atomic<int> ran{0};
#pragma omp parallel
#pragma omp single nowait
  for (int i = 0; i < tasks; ++i)
#pragma omp task shared(ran) firstprivate(i)
  {
    work(i % 16 == 0 ? 40000 : 200);
    if (i % 8 == 0) {
      for (int j = 0; j < 4; ++j)
#pragma omp task shared(ran)
        work(2000), ran++;
    }
    ran++;
  }
  CHECK(ran == tasks + (tasks + 7) / 8 * 4);
}

/// Every member creates; whoever waits holds a lock that the tasks of others want too.
static void locked(int tasks) {
  std::atomic<int> ran{0};
#pragma omp parallel
  {
#pragma omp task shared(ran)
#pragma omp critical
    {
#pragma omp task shared(ran)
      ran++;
#pragma omp taskwait
    }
#pragma omp taskgroup
    for (int i = 0; i < tasks; ++i)
#pragma omp task shared(ran)
      work(500), ran++;
  }
  int members = 1;
#pragma omp parallel
#pragma omp single
  members = omp_get_num_threads();
  CHECK(ran == members * (tasks + 1));
}

static void chained(int length) {
  int value = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < length; ++i) {
#pragma omp task depend(inout : value)
    value = value * 3 + i;
#pragma omp task depend(in : value)
    work(300);
  }
  int expected = 0;
  for (int i = 0; i < length; ++i)
    expected = expected * 3 + i;
  CHECK(value == expected);
}

static void all_of_it() {
  const int most = omp_get_max_threads();
  for (int threads : {most, most / 2 + 1, most, 1, most + 1}) {
    omp_set_num_threads(threads);
    long result = 0;
#pragma omp parallel
#pragma omp single
    result = fib(16);
    CHECK(result == 987);
    uneven(200);
    locked(20);
    chained(16);
    long sum = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop reduction(+ : sum) grainsize(3)
    for (int i = 1; i <= 1000; ++i)
      sum += i;
    CHECK(sum == 500500);
  }
}

int main(int argc, char**) {
  if (argc > 1) {
    all_of_it();
    return 0;
  }
  setenv("XOMP_QUEUE_SIZE", "8", 1);
  setenv("XOMP_STEAL", "3", 1);
  setenv("XOMP_INTERVAL", "20", 1);
  setenv("XOMP_LOCAL", "0.5", 1);
  for (const char* scheduler : kSchedulers) {
    std::string variable = std::string("XOMP_SCHEDULER=") + scheduler;
    outcome result = run_self("child", variable.c_str(), nullptr);
    if (result.status != 0 || result.output[0] != '\0') {
      std::fprintf(stderr, "%s: status %d, %s\n", scheduler, result.status, result.output);
      return 1;
    }
  }
  return 0;
}
