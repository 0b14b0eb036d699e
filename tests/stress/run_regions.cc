// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nodes that are parallel regions, with worksharing constructs.
#include <vector>

#include "children.h"
#include "failure.h"
#include "run.h"

namespace stress {

Value run_parallel(Key key, const Shape& shape, Context below) {
  std::vector<Value> values(shape.children);
  int n = shape.children;
  Value by_reduction = 0;
  switch (draw(key, 54, 3)) {
  case 0: // each thread a share, with tasks left to the barrier at the end
#pragma omp parallel num_threads(n)
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < n; ++i)
      create_child(values[i], child_key(key, i), shape.budget, below);
    break;
  case 1:
#pragma omp parallel num_threads(n)
  {
#pragma omp single nowait
    for (int i = 0; i < n; ++i)
      create_child(values[i], child_key(key, i), shape.budget, below);
#pragma omp barrier
    if (values[n - 1] == 0)
      fail("a barrier ended before the tasks");
#pragma omp masked
    values[0] += 0;
  } break;
  default:
#pragma omp parallel num_threads(n) reduction(task, + : by_reduction)
#pragma omp single
    for (int i = 0; i < n; ++i) {
#pragma omp task in_reduction(+ : by_reduction)
      by_reduction += run(child_key(key, i), shape.budget, below);
    }
  }
  return sum_of(values) + by_reduction;
}

Value run_workshare(Key key, const Shape& shape, Context below) {
  Value sum = 0;
  int n = shape.children, in_order = 0;
#pragma omp parallel num_threads(2 + draw(key, 55, 2)) reduction(+ : sum)
  {
    switch (draw(key, 56, 4)) {
    case 0:
#pragma omp for schedule(guided)
      for (int i = 0; i < n; ++i)
        sum += run(child_key(key, i), shape.budget, below);
      break;
    case 1:
#pragma omp for ordered schedule(static, 1)
      for (int i = 0; i < n; ++i) {
        sum += run(child_key(key, i), shape.budget, below);
#pragma omp ordered
        if (in_order++ != i)
          fail("an ordered region ran out of order");
      }
      break;
    case 2: {
      int first = n / 2;
#pragma omp sections
      {
#pragma omp section
        for (int i = 0; i < first; ++i)
          sum += run(child_key(key, i), shape.budget, below);
#pragma omp section
        for (int i = first; i < n; ++i)
          sum += run(child_key(key, i), shape.budget, below);
      }
      break;
    }
    default: {
      Value given = 0;
#pragma omp single copyprivate(given)
      given = key;
      if (given != key)
        fail("copyprivate did not arrive");
#pragma omp for schedule(dynamic, 1) nowait
      for (int i = 0; i < n; ++i)
        sum += run(child_key(given, i), shape.budget, below);
    }
    }
  }
  return sum;
}

} // namespace stress
