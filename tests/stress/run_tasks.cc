// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nodes whose children are tasks and nothing else: how they are created and waited for.
#include <omp.h>

#include <vector>

#include "children.h"
#include "fulfillers.h"
#include "run.h"

namespace stress {

Value run_taskwait(Key key, const Shape& shape, Context below) {
  std::vector<Value> values(shape.children);
  for (int i = 0; i < shape.children; ++i)
    create_child(values[i], child_key(key, i), shape.budget, below);
#pragma omp taskwait
  return sum_of(values);
}

Value run_taskgroup(Key key, const Shape& shape, Context below) {
  std::vector<Value> values(shape.children);
#pragma omp taskgroup
  for (int i = 0; i < shape.children; ++i)
    create_child(values[i], child_key(key, i), shape.budget, below);
  return sum_of(values);
}

namespace {

/// Hands children [from, past) to tasks that split the range and do not wait.
void spread(Value& total, Key key, int from, int past, int budget, Context below) {
  if (past - from == 1) {
    Value value = run(child_key(key, from), budget, below);
    atomic_add(total, value);
    return;
  }
  int middle = (from + past) / 2;
#pragma omp task shared(total)
  spread(total, key, from, middle, budget, below);
  if (draw(key, from + 40, 4) == 0) {
#pragma omp task if (0) shared(total)
    spread(total, key, middle, past, budget, below);
  } else {
#pragma omp task shared(total)
    spread(total, key, middle, past, budget, below);
  }
}

} // namespace

Value run_async(Key key, const Shape& shape, Context below) {
  Value total = 0;
#pragma omp taskgroup
  spread(total, key, 0, shape.children, shape.budget, below);
  return __atomic_load_n(&total, __ATOMIC_RELAXED);
}

Value run_taskloop(Key key, const Shape& shape, Context below) {
  Value sum = 0;
  int n = shape.children, grain = 1 + draw(key, 52, 5);
  switch (draw(key, 53, 4)) {
  case 0:
#pragma omp taskloop reduction(+ : sum) grainsize(grain)
    for (int i = 0; i < n; ++i)
      sum += run(child_key(key, i), shape.budget, below);
    break;
  case 1:
#pragma omp taskloop reduction(+ : sum) num_tasks(grain)
    for (int i = 0; i < n; ++i)
      sum += run(child_key(key, i), shape.budget, below);
    break;
  case 2:
#pragma omp taskloop shared(sum) grainsize(grain) untied
    for (int i = 0; i < n; ++i)
      atomic_add(sum, run(child_key(key, i), shape.budget, below));
    break;
  default:
#pragma omp taskgroup
#pragma omp taskloop shared(sum) nogroup if (grain != 1)
    for (unsigned long i = 0; i < static_cast<unsigned long>(n); ++i)
      atomic_add(sum, run(child_key(key, static_cast<int>(i)), shape.budget, below));
  }
  return sum;
}

Value run_task_reduction(Key key, const Shape& shape, Context below) {
  Value sum = 0;
#pragma omp taskgroup task_reduction(+ : sum)
  for (int i = 0; i < shape.children; ++i) {
#pragma omp task in_reduction(+ : sum)
    {
      sum += run(child_key(key, i), shape.budget, below);
    }
  }
  return sum;
}

Value run_throw(Key key, const Shape& shape, Context below) {
  std::vector<Value> values(shape.children);
  for (int i = 0; i < shape.children; ++i) {
    Value& out = values[i];
#pragma omp task shared(out)
    try {
      Value value = run(child_key(key, i), shape.budget, below);
      throw value;
    } catch (Value value) {
      out = value;
    }
  }
#pragma omp taskwait
  return sum_of(values);
}

Value run_detach(Key key, const Shape& shape, Context below) {
  std::vector<Value> values(shape.children);
  for (int i = 0; i < shape.children; ++i) {
    Value& out = values[i];
    Key its_key = child_key(key, i);
    omp_event_handle_t event;
    int way = draw(its_key, 57, 4);
#pragma omp task detach(event) shared(out)
    {
      out = run(its_key, shape.budget, below);
      if (way == 0)
        omp_fulfill_event(event);
      if (way == 1)
        fulfillers.give(event);
    }
    if (way == 2)
      fulfillers.give(event); // perhaps before the task has begun
    if (way == 3) {
#pragma omp task firstprivate(event)
      omp_fulfill_event(event);
    }
  }
#pragma omp taskwait
  return sum_of(values);
}

} // namespace stress
