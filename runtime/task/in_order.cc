// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "task/in_order.h"

#include <new>

#include "sys/assert.h"
#include "task/at_once.h"
#include "task/create_on_stack.h"
#include "task/depend.h"

namespace xomp {
namespace {

bool waits_in_order(const Slot& slot) {
  // Relaxed, here and below: in a team of one nobody else touches the stack.
  return slot.body == InOrder::run && slot.link.load(std::memory_order_relaxed) == Slot::kPending;
}

/// The current frame's task has been claimed: runs its siblings that were created before it and
/// still wait, oldest first.
void run_those_in_front(Worker& worker) {
  SplitStack& stack = worker.stack;
  Slot* frame = stack.current;
  for (Slot* slot = SplitStack::frame_below(frame) + 1; slot != frame; ++slot) {
    void (*body)(void*) = stack.take_below_top(slot);
    XOMP_ASSERT(body || !waits_in_order(*slot));
    if (!body)
      continue;
    in_frame(worker, nullptr, [&] { body(slot->arguments); });
    stack.end_taking(slot, slot + 1);
  }
}

} // namespace

InOrder::InOrder(const TaskSpec& spec) : task(spec.body) {
  copy_arguments(depend(), spec.depend, bytes_of(count_of(spec.depend)));
  copy_arguments(arguments(), spec.data, spec.size);
}

void InOrder::run(void* memory) {
  auto& waiting = *static_cast<InOrder*>(memory);
  // On a frame of its own it was the newest. Else it is its turn (`run_in_order`, or as above).
  if (self->stack.current->body == run)
    run_those_in_front(*self);
  waiting.task(waiting.arguments());
}

bool fits_in_order(const Worker& worker, const TaskSpec& spec) {
  // Where tasks lie on the stack, priorities have no effect.
  constexpr unsigned kPlain = kTaskDepend | kTaskUntied | kTaskMergeable | kTaskPriority;
  XOMP_ASSERT(worker.count == 1);
  if (!worker.defers_in_place || worker.creates_slowly || worker.env->child_domain >= 0 ||
      (spec.flags & ~kPlain) || spec.copy || spec.align > alignof(InOrder) ||
      InOrder::room_for(spec) > Slot::kRoom)
    return false;
  const FullFrame* parent = current_full_frame(worker);
  return !parent || !parent->depends || parent->depends->empty();
}

void create_in_order(Worker& worker, const TaskSpec& spec) {
  SplitStack& stack = worker.stack;
  bool may_push = stack.top() + 1 < stack.limit.load(std::memory_order_relaxed);
  if (!may_push && stack_is_full(worker)) {
    // All that it may depend on is over then.
    if (has_own(worker))
      run_in_order(worker);
    while (Slot* own = claim_own(worker))
      run_own(worker, own);
    if (stack_is_full(worker))
      return run_now(worker, spec, AtOnce::kFull);
  }
  Slot* slot = stack.top() + 1;
  slot->body = InOrder::run;
  ::new (slot->arguments) InOrder(spec);
  stack.push(slot);
  if (!may_push)
    set_limit(worker);
}

void leave_order(Worker& worker) {
  const SplitStack& stack = worker.stack;
  for (const Slot* slot = stack.current; slot != stack.top();) {
    if (waits_in_order(*++slot))
      return move_to_heap(worker);
  }
}

void offer_from_order(Worker& worker, DeferredTask& task) {
  auto& moved = *static_cast<InOrder*>(task.payload);
  task.body = moved.body();
  task.payload = moved.arguments();
  offer_moved(worker, task, enter_dependences(*task.parent, task, DependList(moved.depend())));
}

} // namespace xomp
