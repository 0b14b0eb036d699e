// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The graph as an OpenMP program, with one function for each kind of node.
#pragma once
#include <vector>

#include "graph.h"

namespace stress {

/// The value of a node, computed by tasks.
Value run(Key key, int budget, Context context);

Value run_taskwait(Key key, const Shape& shape, Context below);
Value run_taskgroup(Key key, const Shape& shape, Context below);
Value run_async(Key key, const Shape& shape, Context below);
Value run_depend(Key key, const Shape& shape, Context below);
Value run_locked(Key key, const Shape& shape, Context below);
Value run_taskloop(Key key, const Shape& shape, Context below);
Value run_task_reduction(Key key, const Shape& shape, Context below);
Value run_parallel(Key key, const Shape& shape, Context below);
Value run_workshare(Key key, const Shape& shape, Context below);
Value run_throw(Key key, const Shape& shape, Context below);
Value run_detach(Key key, const Shape& shape, Context below);
Value run_late_event(Key key, const Shape& shape, Context below);
Value run_sleep(Key key, const Shape& shape, Context below);
Value run_widths(Key key, const Shape& shape, Context below);
// Whether a cancelled task runs is open, so these have no value.
void run_cancel_group(Key key, const Shape& shape, Context below);
void run_cancel_parallel(Key key, Shape shape, Context below);
void run_cancel_loop(Key key, const Shape& shape, Context below);
void run_cancel_ahead(Key key, const Shape& shape, Context below);

/// Locks and critical regions that tasks hold while they wait for their children.
void init_locks();
void destroy_locks();

// Sums of the children's values.
inline void atomic_add(Value& to, Value what) { __atomic_fetch_add(&to, what, __ATOMIC_RELAXED); }
inline Value sum_of(const std::vector<Value>& values) {
  Value sum = 0;
  for (Value value : values)
    sum += value;
  return sum;
}

} // namespace stress
