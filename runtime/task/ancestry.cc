// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "task/ancestry.h"

#include "sys/assert.h"
#include "sys/asymmetric_fence.h"

namespace xomp {

/// Sets `ancestor`, `depth`, and `jump` so that any ancestor is a logarithmic number of steps away:
/// jumps have the lengths of a skew-binary number's digits (Myers, "An applicative random-access
/// stack", 1983). Tasks of one stack end one after the other, each full frame that is kept keeps
/// the next one, and so what is jumped to there. What lies on another stack may be bypassed: it is
/// kept by a link, and not jumped to before that is worth it.
void point_upwards(FullFrame& full_frame, FullFrame* above) {
  constexpr uint64_t kDeep = 64;
  full_frame.ancestor.store(above, std::memory_order_relaxed); // nobody else knows of it yet
  full_frame.jump = &full_frame;
  if (!above)
    return;
  full_frame.depth = above->depth + 1;
  bool elsewhere = above->owner != full_frame.owner;
  if (elsewhere && full_frame.depth < kDeep)
    return;
  FullFrame* far = above->jump;
  XOMP_ASSERT(far && far->depth <= above->depth);
  bool alike = above->depth - far->depth == far->depth - far->jump->depth;
  full_frame.jump = alike ? far->jump : above;
  full_frame.holds_jump = elsewhere || (alike && (above->holds_jump || far->holds_jump));
  // Relaxed: what is above keeps it until then.
  if (full_frame.holds_jump)
    full_frame.jump->links.fetch_add(1, std::memory_order_relaxed);
}

/// Nobody waits in a task that has ended, so its full frame need not be climbed through, nor be
/// kept for that: a chain of tasks, each creating the next, would keep all of them.
FullFrame* nearest_waiting(FullFrame& parent) {
  FullFrame* full_frame = &parent;
  // Acquire: an ended full frame has its link, which keeps the next one and does not change any
  // more; the child that runs now keeps the first.
  while (full_frame && full_frame->ended.load(std::memory_order_acquire))
    full_frame = ancestor_of(*full_frame);
  return full_frame;
}

FullFrame* bypass_ended(FullFrame& full_frame) {
  FullFrame* ancestor = ancestor_of(full_frame);
  // Without such a fence nobody could tell when those who climb have left it.
  if (!ancestor || !ancestor->ended.load(std::memory_order_acquire) || !sys::has_asymmetric_fence())
    return ancestor;
  FullFrame* waiting = nearest_waiting(*ancestor);
  // Relaxed: before its owner finds it empty, as the task that ends here is not done yet.
  ancestor->bypassed.store(true, std::memory_order_relaxed);
  full_frame.ancestor.store(waiting, std::memory_order_release); // `next_upwards`
  return waiting;
}

bool descends(const FullFrame& from, const FullFrame& scope) {
  if (from.depth <= scope.depth)
    return &from == &scope;
  Climb climb(*self);
  const FullFrame* full_frame = &from;
  do {
    const FullFrame* jump = full_frame->jump;
    bool far = jump != full_frame && jump->depth >= scope.depth;
    full_frame = far ? jump : next_upwards(*full_frame);
  } while (full_frame && full_frame->depth > scope.depth);
  return full_frame == &scope;
}

} // namespace xomp
