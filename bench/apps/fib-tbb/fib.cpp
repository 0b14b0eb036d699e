// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recursive Fibonacci in oneTBB: the two tasks per call of the application fib.
#include "../fib/fib.h"
#include "../../frame/app.h"
#include "../../frame/threads_tbb.h"

#include <oneapi/tbb/task_group.h>

static long group(long n) {
  if (n < 2)
    return n;
  long x, y;
  tbb::task_group tasks;
  tasks.run([&x, n] { x = group(n - 1); });
  tasks.run([&y, n] { y = group(n - 2); });
  tasks.wait();
  return x + y;
}

static long group_manual(long n, long depth) {
  if (n < 2)
    return n;
  if (depth >= cutoff)
    return serial(static_cast<int>(n));
  long x, y;
  tbb::task_group tasks;
  tasks.run([&x, n, depth] { x = group_manual(n - 1, depth + 1); });
  tasks.run([&y, n, depth] { y = group_manual(n - 2, depth + 1); });
  tasks.wait();
  return x + y;
}

static void run_group() {
  threads_arena().execute([] { result = group(n); });
}

static void run_manual() {
  threads_arena().execute([] { result = group_manual(n, 0); });
}

static void run_serial() { result = serial(static_cast<int>(n)); }

static const Variant kVariants[] = {
    {"group", "a task of a task_group for either call", run_group},
    {"group-manual", "the serial code below the cut-off", run_manual},
    {"serial", "no tasks", run_serial},
    {},
};

int main(int argc, char** argv) {
  static const App app = {
      "fib-tbb", "Recursive Fibonacci in oneTBB", kVariants, kParameters, nullptr, check};
  return app_main(&app, argc, argv);
}
