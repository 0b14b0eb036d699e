// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The serial evaluation of the graph.
#include "serial.h"

#include "accesses.h"

namespace stress {

Value serial(Key key, int budget, Context context) {
  if (budget <= 1)
    return leaf(key);
  context.final |= drawn_final(key);
  Shape shape = shape_of(key, budget, context);
  Context below = inside(shape, key, context);
  Value sum = 0;
  if (may_be_cancelled(shape.kind)) {
    // Whether a cancelled task runs is open, so its value does not count.
  } else if (shape.kind == kDepend) {
    Value cells[kMaxCells] = {};
    for (int i = 0; i < shape.children; ++i) {
      int cell;
      if (reads_between(key, i, cell))
        sum += mix(cells[cell]);
      Value own = serial(child_key(key, i), shape.budget, below);
      sum += apply(own, accesses_of(key, i), cells, [](Value& to, Value what) { to += what; });
    }
    for (Value cell : cells)
      sum += cell;
  } else {
    for (int i = 0; i < shape.children; ++i)
      sum += serial(child_key(key, i), shape.budget, below);
  }
  return mix(key + sum);
}

} // namespace stress
