// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nodes whose tasks sleep, most of them not at all or briefly, some a thousand times longer.
#include <unistd.h>

#include <vector>

#include "run.h"

namespace stress {

Value run_sleep(Key key, const Shape& shape, Context below) {
  std::vector<Value> values(shape.children);
  for (int i = 0; i < shape.children; ++i) {
    Value& out = values[i];
    Key its_key = child_key(key, i);
    // Discarded or not, the sum over a node stays some milliseconds.
    int longest = 1 << draw(its_key, 78, 13);
    auto before = static_cast<useconds_t>(draw(its_key, 79, 4) ? draw(its_key, 80, 4)
                                                               : draw(its_key, 81, longest));
#pragma omp task shared(out)
    {
      usleep(before);
      out = run(its_key, shape.budget, below);
    }
  }
#pragma omp taskwait
  return sum_of(values);
}

} // namespace stress
