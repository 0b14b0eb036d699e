// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recursive Fibonacci in PTL: the two tasks per call of the application fib.
#include "../fib/fib.h"
#include "../../frame/app.h"
#include "../../frame/threads_ptl.h"

static long group(long n) {
  if (n < 2)
    return n;
  long x, y;
  PTL::TaskGroup<void> tasks(threads_pool());
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
  PTL::TaskGroup<void> tasks(threads_pool());
  tasks.run([&x, n, depth] { x = group_manual(n - 1, depth + 1); });
  tasks.run([&y, n, depth] { y = group_manual(n - 2, depth + 1); });
  tasks.wait();
  return x + y;
}

static void run_group() {
  run_in_pool([] { result = group(n); });
}

static void run_manual() {
  run_in_pool([] { result = group_manual(n, 0); });
}

static void run_serial() { result = serial(static_cast<int>(n)); }

static const Variant kVariants[] = {
    {"group", "a task of a TaskGroup for either call", run_group},
    {"group-manual", "the serial code below the cut-off", run_manual},
    {"serial", "no tasks", run_serial},
    {},
};

int main(int argc, char** argv) {
  static const App app = {"fib-ptl", "Recursive Fibonacci in PTL", kVariants, kParameters, nullptr,
                          check};
  return app_main(&app, argc, argv);
}
