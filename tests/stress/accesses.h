// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tasks of a kDepend node do with the cells that they share, and in which order.
#pragma once
#include "graph.h"

namespace stress {

/// One task of a kDepend node.
struct Access {
  enum Type { kIn, kOut, kInout, kMutex, kSet };
  int cell;
  Type type;
};
constexpr int kMaxCells = 6;
struct Accesses {
  int count = 0;
  Access list[3];
};
int cells_of(Key node);
Accesses accesses_of(Key node, int i);
/// Before child i the parent waits for one cell and reads it.
bool reads_between(Key node, int i, int& cell);

/// What a task with these accesses does to the cells. `add` is an atomic or a plain addition.
template <class Add> Value apply(Value own, const Accesses& accesses, Value* cells, Add add) {
  Value result = own;
  for (int i = 0; i < accesses.count; ++i) {
    Access::Type type = accesses.list[i].type;
    if (type == Access::kIn || type == Access::kInout)
      result += cells[accesses.list[i].cell];
  }
  result = mix(result);
  for (int i = 0; i < accesses.count; ++i) {
    Value& cell = cells[accesses.list[i].cell];
    switch (accesses.list[i].type) {
    case Access::kIn:
      break;
    case Access::kOut:
      cell = mix(result);
      break;
    case Access::kInout:
      cell = mix(cell + result);
      break;
    case Access::kMutex:
      cell += result;
      break; // plain: exclusion is the runtime's part
    case Access::kSet:
      add(cell, result);
      break;
    }
  }
  return result;
}

} // namespace stress
