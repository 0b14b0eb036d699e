// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Drawing the accesses of the tasks of a kDepend node.
#include "accesses.h"

#include <algorithm>

namespace stress {

int cells_of(Key node) { return 2 + draw(node, 6, kMaxCells - 1); }
Accesses accesses_of(Key node, int i) {
  Key key = child_key(node ^ 0x5555, i);
  int cells = cells_of(node);
  Accesses accesses;
  int wanted = std::min(1 + draw(key, 7, 3), cells);
  int cell = draw(key, 8, cells);
  for (; accesses.count < wanted; cell = (cell + 1) % cells)
    accesses.list[accesses.count++] = {cell,
                                       static_cast<Access::Type>(draw(key, 9 + accesses.count, 5))};
  return accesses;
}

bool reads_between(Key node, int i, int& cell) {
  Key key = child_key(node ^ 0x7777, i);
  cell = draw(key, 1, cells_of(node));
  return draw(key, 2, 12) == 0;
}

} // namespace stress
