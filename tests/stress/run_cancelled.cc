// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nodes that are cancelled: each task runs at most once, and none is left when the construct has
// ended.
#include <omp.h>

#include "run.h"
#include "runs.h"

namespace stress {

void run_cancel_group(Key key, const Shape& shape, Context below) {
  Runs runs(shape.children);
#pragma omp taskgroup
  for (int i = 0; i < shape.children; ++i) {
#pragma omp task shared(runs)
    {
      runs.enter(i);
      run(child_key(key, i), shape.budget, below);
      runs.leave();
      if (draw(key, i + 58, 3) == 0) {
#pragma omp cancel taskgroup
      }
#pragma omp cancellation point taskgroup
    }
  }
  runs.check();
}

// `shape` by value: each thread would write the reference back after it has created a task.
void run_cancel_parallel(Key key, Shape shape, Context below) {
  Runs runs(shape.children * 4);
#pragma omp parallel num_threads(shape.children)
  {
    int me = omp_get_thread_num();
    for (int i = 0; i < 4; ++i) {
#pragma omp task shared(runs)
      {
        runs.enter(me * 4 + i);
        run(child_key(key, i), shape.budget, below);
        runs.leave();
      }
    }
    if (draw(key, me + 59, 2)) {
#pragma omp cancel parallel
    }
#pragma omp barrier
#pragma omp cancellation point parallel
  }
  runs.check();
}

void run_cancel_loop(Key key, const Shape& shape, Context below) {
  int n = shape.children * 4;
  Runs runs(n);
#pragma omp parallel num_threads(shape.children)
  {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < n; ++i) {
      runs.enter(i);
      run(child_key(key, i), shape.budget / 4, below);
      runs.leave();
      if (draw(key, i + 60, 4) == 0) {
#pragma omp cancel for
      }
    }
    runs.check();
  }
}

} // namespace stress
