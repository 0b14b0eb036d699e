// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nodes whose children are regions of one thread and of several, in turn.
#include <omp.h>

#include <atomic>

#include "failure.h"
#include "run.h"

namespace stress {

namespace {

/// Runs in every region: the child's value, by one of the members or by a task.
class Member {
public:
  Member(Key key, int budget, Context below) : key(key), budget(budget), below(below) {}
  void operator()() {
    present.fetch_add(1);
    threads = omp_get_num_threads();
#pragma omp single nowait
    {
      if (draw(key, 84, 2)) {
#pragma omp task
        value = run(key, budget, below);
      } else {
        value = run(key, budget, below);
      }
    }
  }
  Value result() const {
    if (present.load() != threads)
      fail("a region has another number of members than it says");
    return value;
  }

private:
  Key key;
  int budget;
  Context below;
  std::atomic<int> present{0};
  std::atomic<int> threads{0};
  Value value = 0;
};

Value run_width(Key key, int budget, Context below) {
  Member member(key, budget, below);
  int wide = 2 + draw(key, 82, 3);
  switch (draw(key, 83, 5)) {
  case 0:
#pragma omp parallel if (0)
    member();
    break;
  case 1:
#pragma omp parallel num_threads(1)
    member();
    break;
  case 2:
#pragma omp parallel num_threads(2)
    member();
    break;
  default:
#pragma omp parallel num_threads(wide)
    member();
  }
  return member.result();
}

} // namespace

Value run_widths(Key key, const Shape& shape, Context below) {
  Value sum = 0;
  for (int i = 0; i < shape.children; ++i)
    sum += run_width(child_key(key, i), shape.budget, below);
  return sum;
}

} // namespace stress
