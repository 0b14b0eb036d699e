// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nodes in which something is cancelled while other members run ahead through nowait constructs,
// further than the runtime remembers constructs.
#include <omp.h>

#include "run.h"
#include "runs.h"

namespace stress {

namespace {

/// Constructs that members pass without waiting for each other. Not inlined: next to a cancel
/// directive the compiler would add cancellation points.
class Constructs {
public:
  explicit Constructs(Key key)
      : key(key), count(1 + draw(key, 70, 4) * draw(key, 71, 50)), runs(count * kIterations) {}

  [[gnu::noinline]] void pass() {
    for (int c = 0; c < count; ++c)
      pass_one(c);
  }
  /// Behind a barrier, or the region's end: nobody is inside.
  void check(bool region_cancelled) {
    if (region_cancelled)
      runs.check();
    else
      runs.check_all_ran();
  }

private:
  static constexpr int kIterations = 3;

  void piece(int c, int i) {
    runs.enter(c * kIterations + i);
    runs.leave();
  }
  void pass_one(int c) {
    switch (draw(child_key(key, c), 72, 5)) {
    case 0:
#pragma omp for schedule(dynamic) nowait
      for (int i = 0; i < kIterations; ++i)
        piece(c, i);
      break;
    case 1:
#pragma omp for schedule(guided) nowait
      for (int i = 0; i < kIterations; ++i)
        piece(c, i);
      break;
    case 2:
#pragma omp sections nowait
    {
#pragma omp section
      piece(c, 0);
#pragma omp section
      piece(c, 1);
#pragma omp section
      piece(c, 2);
    } break;
    case 3:
#pragma omp single nowait
      for (int i = 0; i < kIterations; ++i)
        piece(c, i);
      break;
    default:
#pragma omp single nowait
      for (int i = 0; i < kIterations; ++i) {
#pragma omp task
        piece(c, i);
      }
    }
  }

  Key key;
  int count;
  Runs runs;
};

// What a task needs of `shape` goes to it by value: gcc writes a reference that a task of a
// parallel region shares back behind the construct, each member to the same place, which is a race.
void cancel_parallel(Key key, const Shape& shape, Context below) {
  int n = shape.children, budget = shape.budget, canceller = draw(key, 73, n);
  Constructs before(child_key(key, 0)), after(child_key(key, 1));
#pragma omp parallel num_threads(n)
  {
    int me = omp_get_thread_num();
    before.pass();
    if (me == canceller) {
#pragma omp cancel parallel
    } else if (draw(key, me + 74, 2)) {
#pragma omp task firstprivate(budget)
      run(child_key(key, me), budget, below);
    }
    after.pass();
  }
  bool cancelled = omp_get_cancellation();
  before.check(cancelled);
  after.check(cancelled);
}

void cancel_loop(Key key, const Shape& shape, Context below) {
  int n = shape.children;
  Constructs before(child_key(key, 0)), after(child_key(key, 1));
  Runs runs(n * 2);
#pragma omp parallel num_threads(n)
  {
    before.pass();
#pragma omp for schedule(dynamic)
    for (int i = 0; i < n * 2; ++i) {
      runs.enter(i);
      run(child_key(key, i), shape.budget / 2, below);
      runs.leave();
      if (draw(key, i + 74, 3) == 0) {
#pragma omp cancel for
      }
    }
    before.check(false);
    runs.check();
    after.pass();
  }
  after.check(false);
}

void cancel_sections(Key key, const Shape& shape, Context below) {
  int n = shape.children;
  Constructs before(child_key(key, 0)), after(child_key(key, 1));
  Runs runs(3);
  auto section = [&](int i) {
    runs.enter(i);
    run(child_key(key, i), shape.budget, below);
    runs.leave();
  };
#pragma omp parallel num_threads(n)
  {
    before.pass();
#pragma omp sections
    {
#pragma omp section
      section(0);
#pragma omp section
      {
        section(1);
#pragma omp cancel sections
      }
#pragma omp section
      section(2);
    }
    before.check(false);
    runs.check();
    after.pass();
  }
  after.check(false);
}

void cancel_groups(Key key, const Shape& shape, Context below) {
  int n = shape.children, budget = shape.budget / 4;
  Constructs constructs(key);
  Runs runs(n * 4);
#pragma omp parallel num_threads(n)
  {
    int me = omp_get_thread_num();
#pragma omp taskgroup
    for (int i = 0; i < 4; ++i) {
#pragma omp task shared(runs) firstprivate(budget)
      {
        runs.enter(me * 4 + i);
        run(child_key(key, i), budget, below);
        runs.leave();
#pragma omp cancel taskgroup
      }
    }
    constructs.pass();
  }
  runs.check();
  constructs.check(false);
}

} // namespace

void run_cancel_ahead(Key key, const Shape& shape, Context below) {
  switch (draw(key, 69, 4)) {
  case 0:
    return cancel_loop(key, shape, below);
  case 1:
    return cancel_sections(key, shape, below);
  case 2:
    return cancel_groups(key, shape, below);
  default:
    return cancel_parallel(key, shape, below);
  }
}

} // namespace stress
