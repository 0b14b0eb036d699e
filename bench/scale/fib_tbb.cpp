// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recursive Fibonacci in oneTBB, for scale beside bench/apps/fib.c: the same two tasks per call and
// the same line of output. Usage: fib_tbb N [THREADS].
#include "../apps/cpu_time.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace tbb = oneapi::tbb;

static long fib(int n) {
  if (n < 2)
    return n;
  long x, y;
  tbb::task_group group;
  group.run([&x, n] { x = fib(n - 1); });
  group.run([&y, n] { y = fib(n - 2); });
  group.wait();
  return x + y;
}

static long fib_iterative(int n) {
  long current = 0, next = 1;
  for (; n > 0; n--) {
    long sum = current + next;
    current = next;
    next = sum;
  }
  return current;
}

int main(int argc, char** argv) {
  int n = argc > 1 ? std::atoi(argv[1]) : 27;
  int threads = argc > 2 ? std::atoi(argv[2]) : 1;
  if (n < 0 || n > 60 || threads < 1) {
    std::fprintf(stderr, "usage: fib_tbb N [THREADS], N from 0 to 60\n");
    return 2;
  }
  tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  tbb::task_arena arena(threads);
  arena.execute([] { fib(10); }); // starts the threads before the clock does
  long result = 0;
  double cpu_start = cpu_time();
  auto start = std::chrono::steady_clock::now();
  arena.execute([&] { result = fib(n); });
  std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  double cpu = cpu_time() - cpu_start;
  bool ok = result == fib_iterative(n);
  std::printf("fib variant=tbb n=%d result=%ld ok=%d tasks=%ld threads=%d seconds=%.9f cpu=%.9f\n",
              n, result, ok, 2 * (fib_iterative(n + 1) - 1), threads, elapsed.count(), cpu);
  return ok ? 0 : 1;
}
