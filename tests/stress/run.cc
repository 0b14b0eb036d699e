// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One node of the graph.
#include "run.h"

namespace stress {

Value run(Key key, int budget, Context context) {
  if (budget <= 1)
    return leaf(key);
  context.final |= drawn_final(key);
  Shape shape = shape_of(key, budget, context);
  Context below = inside(shape, key, context);
  Value sum = 0;
  switch (shape.kind) {
  case kTaskgroup:
    sum = run_taskgroup(key, shape, below);
    break;
  case kAsync:
    sum = run_async(key, shape, below);
    break;
  case kDepend:
    sum = run_depend(key, shape, below);
    break;
  case kLocked:
    sum = run_locked(key, shape, below);
    break;
  case kTaskloop:
    sum = run_taskloop(key, shape, below);
    break;
  case kTaskReduction:
    sum = run_task_reduction(key, shape, below);
    break;
  case kParallel:
    sum = run_parallel(key, shape, below);
    break;
  case kWorkshare:
    sum = run_workshare(key, shape, below);
    break;
  case kThrow:
    sum = run_throw(key, shape, below);
    break;
  case kDetach:
    sum = run_detach(key, shape, below);
    break;
  case kCancelGroup:
    run_cancel_group(key, shape, below);
    break;
  case kCancelParallel:
    run_cancel_parallel(key, shape, below);
    break;
  case kCancelLoop:
    run_cancel_loop(key, shape, below);
    break;
  case kCancelAhead:
    run_cancel_ahead(key, shape, below);
    break;
  case kLateEvent:
    sum = run_late_event(key, shape, below);
    break;
  case kSleep:
    sum = run_sleep(key, shape, below);
    break;
  case kWidths:
    sum = run_widths(key, shape, below);
    break;
  default:
    sum = run_taskwait(key, shape, below);
  }
  return mix(key + sum);
}

} // namespace stress
