// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Drawing a node of the graph: its kind, its children and what they may do.
#include "graph.h"

#include <algorithm>

#include "kinds.h"

namespace stress {

Value mix(uint64_t x) {
  x += 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}
Key child_key(Key key, int i) { return mix(key * 31 + static_cast<Key>(i) + 1); }
int draw(Key key, int purpose, int bound) {
  return static_cast<int>(mix(key ^ (static_cast<Key>(purpose) << 56)) %
                          static_cast<unsigned>(bound));
}

bool drawn_final(Key child) { return draw(child, 30, 40) == 0; }

bool may_be_cancelled(Kind kind) {
  return kind == kCancelGroup || kind == kCancelParallel || kind == kCancelLoop ||
         kind == kCancelAhead;
}

bool opens_regions(Kind kind) {
  return kind == kParallel || kind == kWorkshare || kind == kWidths ||
         (may_be_cancelled(kind) && kind != kCancelGroup);
}

Shape shape_of(Key key, int budget, const Context& context) {
  Kind kind = draw_kind(key, 1);
  bool regions = opens_regions(kind);
  if (regions && context.nest >= kMaxNest)
    kind = kTaskwait;
  // Nobody could fulfill the event of an undeferred task, or of one that is never run.
  if ((kind == kDetach || kind == kLateEvent) && (context.discarded || context.final))
    kind = kTaskgroup;
  if (kind == kLocked && context.first_lock >= kLocks)
    kind = kTaskwait;
  int children = 1 + draw(key, 2, 8);
  if (draw(key, 3, 20) == 0)
    children += draw(key, 4, 200); // floods the queues
  if (regions)
    children = 2 + draw(key, 2, 3);
  children = std::max(1, std::min(children, budget - 1));
  return {kind, children, (budget - 1) / children};
}

Context inside(const Shape& shape, Key key, Context context) {
  if (shape.kind == kLocked)
    context.first_lock += 1 + draw(key, 12, kLocks - context.first_lock);
  context.nest += opens_regions(shape.kind);
  context.discarded |= may_be_cancelled(shape.kind);
  return context;
}

Value leaf(Key key) {
  Value value = key;
  for (int i = draw(key, 5, 64); i >= 0; --i)
    value = mix(value);
  return value;
}

} // namespace stress
