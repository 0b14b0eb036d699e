// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "task/in_order.h"

#include <new>

#include "sys/assert.h"
#include "task/box.h"
#include "task/create_on_stack.h"
#include "task/full_frame.h"

namespace xomp {

bool InOrder::fits(const TaskSpec& spec) {
  constexpr std::size_t kOfEach = sizeof(void*) + sizeof(Access);
  return !spec.copy && spec.align <= alignof(InOrder) && spec.size <= Slot::kRoom &&
         spec.depend.size() <= Slot::kRoom / kOfEach &&
         sizeof(InOrder) + round_up(spec.size) + spec.depend.size() * kOfEach <= Slot::kRoom;
}

InOrder::InOrder(const TaskSpec& spec)
    : body(spec.body), bytes(static_cast<uint32_t>(round_up(spec.size))),
      count(static_cast<uint32_t>(spec.depend.size())) {
  copy_arguments(arguments(), spec.data, spec.size);
  void** address = addresses();
  Access* type = types();
  for (const Dependence& item : spec.depend) {
    *address++ = item.address;
    *type++ = item.access;
  }
}

void InOrder::run(void* memory) {
  InOrder& task = of(memory);
  task.body(task.arguments());
}

namespace {

/// Whether the order of creation is all that there is to know of the task and those before it.
bool goes_in_order(const Worker& worker, const TaskSpec& spec) {
  // Where tasks lie on the stack, priorities have no effect, and nothing is discarded.
  constexpr unsigned kPlain =
      kTaskDepend | kTaskUntied | kTaskMergeable | kTaskPriority | kTaskDiscards;
  if (!worker.defers_in_place || worker.creates_slowly || worker.env->child_domain >= 0 ||
      (spec.flags & ~kPlain))
    return false;
  const FullFrame* parent = current_full_frame(worker);
  return !parent || !parent->depends || parent->depends->empty();
}

/// Room for one more. Where as many wait as may, they are run first, so that all that it may depend
/// on is over.
bool has_room(Worker& worker) {
  const SplitStack& stack = worker.stack;
  if (stack.top() - stack.current >= usual_waiting_limit(worker) && !deep(worker))
    run_in_order(worker);
  return has_slot(worker);
}

bool create_boxed_in_order(Worker& worker, const TaskSpec& spec) {
  TaskSpec boxed = spec;
  boxed.copy = nullptr;
  boxed.size = sizeof(Box);
  boxed.align = alignof(Box);
  if (!fits_in_box(spec.size, spec.align) || !InOrder::fits(boxed) || !has_room(worker))
    return false;
  Box box = pack(worker, spec);
  boxed.body = Box::run;
  boxed.data = &box;
  // From the beginning: the program's copy function may have created others.
  create_with_dependences(worker, boxed, true);
  return true;
}

} // namespace

bool create_in_order(Worker& worker, const TaskSpec& spec) {
  XOMP_ASSERT(worker.count == 1);
  if (!goes_in_order(worker, spec))
    return false;
  if (!InOrder::fits(spec))
    return create_boxed_in_order(worker, spec);
  SplitStack& stack = worker.stack;
  bool may_push = stack.top() + 1 < stack.limit.load(std::memory_order_relaxed);
  if (!may_push && !has_room(worker))
    return false;
  Slot* slot = stack.top() + 1;
  slot->body = InOrder::run;
  ::new (slot->arguments) InOrder(spec);
  stack.push(slot, Slot::kOrdered);
  if (!may_push)
    set_limit(worker);
  return true;
}

bool enter_from_order(DeferredTask& task) {
  InOrder& moved = InOrder::of(task.payload);
  uint32_t count = moved.dependences();
  Dependences depend(count);
  for (uint32_t i = 0; i < count; ++i)
    depend.begin()[i] = moved.dependence(i);
  return enter_dependences(*task.parent, task, depend.list(), false,
                           room_in_block(task, edges_in_block(count)));
}

} // namespace xomp
