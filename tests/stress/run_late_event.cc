// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nodes whose children wait for an event that is fulfilled from outside, often after the task that
// created them has ended, and its parent, and so on: only the taskgroup far above waits for them.
#include <omp.h>

#include "fulfillers.h"
#include "run.h"

namespace stress {

namespace {

struct Late {
  Key key;
  Shape shape;
  Context below;
  Value sum = 0;
  int order = 0; ///< stands for what the tasks' order is about
};

void create_children(Late& late) {
  omp_event_handle_t event;
#pragma omp task detach(event) depend(out : late.order) shared(late)
  {
    atomic_add(late.sum, late.key);
    fulfillers.give(event);
  }
  for (int i = 0; i < late.shape.children; ++i) {
#pragma omp task depend(in : late.order) shared(late)
    atomic_add(late.sum, run(child_key(late.key, i), late.shape.budget, late.below));
  }
}

/// A chain of tasks, none of which waits for the next.
void descend(Late& late, int depth) {
  if (depth == 0)
    return create_children(late);
  Key here = child_key(late.key, depth + 1000);
  // Tasks with and without anything that a runtime has to remember of them.
  if (draw(here, 1, 3) == 0) {
#pragma omp task shared(late)
    atomic_add(late.sum, 0);
  }
  if (draw(here, 2, 6) == 0) {
#pragma omp task if (0) shared(late)
    descend(late, depth - 1);
  } else {
#pragma omp task shared(late)
    descend(late, depth - 1);
  }
}

} // namespace

Value run_late_event(Key key, const Shape& shape, Context below) {
  Late late{key, shape, below};
  int depth = draw(key, 75, 3) ? draw(key, 76, 8) : draw(key, 77, 200);
#pragma omp taskgroup
  descend(late, depth);
  return late.sum - late.key;
}

} // namespace stress
