// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// N queens in PTL: the tasks of the application nqueens, one per square of the next row.
#include "../nqueens/nqueens.h"
#include "../../frame/threads_ptl.h"

#include <numeric>

static long group(int row, const Board* board, long levels) {
  if (row == n)
    return 1;
  if (row >= levels) {
    Board own = *board;
    return serial(row, own.column);
  }
  long count[kMost] = {};
  PTL::TaskGroup<void> tasks(threads_pool());
  for (int i = 0; i < n; i++)
    tasks.run([=, &count] {
      Board own = *board;
      own.column[row] = static_cast<signed char>(i);
      if (safe(row, own.column))
        count[i] = group(row + 1, &own, levels);
    });
  tasks.wait();
  return std::accumulate(count, count + n, 0L);
}

static void run_with(long levels) {
  run_in_pool([=] {
    Board empty = {};
    found = group(0, &empty, levels);
  });
}

static void run_group() { run_with(n); }

static void run_manual() { run_with(cutoff); }

static void run_serial() {
  Board board;
  found = serial(0, board.column);
}

static const Variant kVariants[] = {
    {"group", "a task of a TaskGroup per square", run_group},
    {"group-manual", "the serial code below the cut-off", run_manual},
    {"serial", "no tasks", run_serial},
    {},
};

int main(int argc, char** argv) {
  static const App app = {
      "nqueens-ptl", "Ways to place n queens in PTL", kVariants, kParameters, nullptr, check,
  };
  return app_main(&app, argc, argv);
}
