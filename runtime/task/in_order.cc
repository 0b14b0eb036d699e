// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "task/in_order.h"

#include <new>

#include "sys/assert.h"
#include "task/box.h"
#include "task/frame.h"

namespace xomp {

bool InOrder::fits(const TaskSpec& spec) {
  constexpr std::size_t kOfEach = sizeof(void*) + sizeof(Access);
  return !spec.copy && spec.align <= alignof(InOrder) && spec.size <= Slot::kRoom &&
         spec.depend.size() <= Slot::kRoom / kOfEach &&
         sizeof(InOrder) + whole_words(spec.size) + spec.depend.size() * kOfEach <= Slot::kRoom;
}

InOrder::InOrder(const TaskSpec& spec)
    : body(spec.body), bytes(static_cast<uint32_t>(whole_words(spec.size))),
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
  // Where nothing is examined, priorities have no effect, and nothing is discarded.
  constexpr unsigned kPlain =
      kTaskDepend | kTaskUntied | kTaskMergeable | kTaskPriority | kTaskDiscards;
  if (!worker.defers_in_place || worker.stack.all_public || worker.env->child_domain >= 0 ||
      (spec.flags & ~kPlain))
    return false;
  const FullFrame* parent = current_full_frame(worker);
  return !parent || !parent->depends || parent->depends->empty();
}

/// Whether as many wait as their creator may leave behind.
bool too_many(const Worker& worker) {
  return worker.stack.top() - worker.stack.current >= usual_waiting_limit(worker);
}

/// Where there are, they are run first: all that one more may depend on is over then.
[[gnu::noinline]] bool make_slot(Worker& worker) {
  SplitStack& stack = worker.stack;
  if (!stack.first)
    return lay_out_stack(worker);
  if (too_many(worker) && !deep(worker))
    run_in_order(worker);
  if (room_besides_frames(stack) <= 0)
    stack.compact(stack.current);
  return room_besides_frames(stack) > 0;
}

/// Makes room for one more. False: there is none.
inline bool has_slot(Worker& worker) {
  const SplitStack& stack = worker.stack;
  return (stack.top() + 1 < stack.middle() && !too_many(worker)) || make_slot(worker);
}

[[gnu::noinline]] bool create_boxed_in_order(Worker& worker, const TaskSpec& spec) {
  TaskSpec boxed = spec;
  boxed.copy = nullptr;
  boxed.size = sizeof(Box);
  boxed.align = alignof(Box);
  if (!fits_in_box(spec.size, spec.align) || !InOrder::fits(boxed) || !has_slot(worker))
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
  if (!has_slot(worker))
    return false;
  SplitStack& stack = worker.stack;
  Slot* slot = stack.top() + 1;
  slot->body = InOrder::run;
  ::new (slot->arguments) InOrder(spec);
  stack.push(slot, Slot::kOrdered);
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
