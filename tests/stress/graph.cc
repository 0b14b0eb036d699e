// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Drawing a node of the graph: its kind, its children and what they may do.
#include "graph.h"

#include <algorithm>

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

Shape shape_of(Key key, int budget, const Context& context) {
  // The second number is how often of about 100.
  static constexpr int kOften[kKinds] = {26, 10, 10, 16, 10, 6, 5, 3, 3, 3, 4, 2, 1, 1};
  int ticket = draw(key, 1, 100), kind = 0;
  while (ticket >= kOften[kind])
    ticket -= kOften[kind++];
  bool regions =
      kind == kParallel || kind == kWorkshare || kind == kCancelParallel || kind == kCancelLoop;
  if (regions && context.nest >= kMaxNest)
    kind = kTaskwait;
  // Nobody could fulfill the event of an undeferred task, or of one that is never run.
  if (kind == kDetach && (context.discarded || context.final))
    kind = kTaskgroup;
  if (kind == kLocked && context.first_lock >= kLocks)
    kind = kTaskwait;
  int children = 1 + draw(key, 2, 8);
  if (draw(key, 3, 20) == 0)
    children += draw(key, 4, 200); // floods the queues
  if (regions)
    children = 2 + draw(key, 2, 3);
  children = std::max(1, std::min(children, budget - 1));
  return {static_cast<Kind>(kind), children, (budget - 1) / children};
}

Context inside(const Shape& shape, Key key, Context context) {
  switch (shape.kind) {
  case kLocked:
    context.first_lock += 1 + draw(key, 12, kLocks - context.first_lock);
    break;
  case kParallel:
  case kWorkshare:
    ++context.nest;
    break;
  case kCancelGroup:
    context.discarded = true;
    break;
  case kCancelParallel:
  case kCancelLoop:
    ++context.nest;
    context.discarded = true;
    break;
  default:
    break;
  }
  return context;
}

Value leaf(Key key) {
  Value value = key;
  for (int i = draw(key, 5, 64); i >= 0; --i)
    value = mix(value);
  return value;
}

} // namespace stress
