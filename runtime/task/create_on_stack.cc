// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "task/create_on_stack.h"

#include <algorithm>
#include <new>

#include "sys/assert.h"
#include "sys/ticks.h"
#include "task/at_once.h"
#include "task/box.h"
#include "task/environment.h"
#include "task/frame.h"
#include "task/run.h"
#include "task/wakeup.h"

namespace xomp {
namespace {

/// A task on the stack that is final, or may be discarded: its body and arguments behind what is to
/// be done first.
struct alignas(Slot::kAlign) Guarded {
  void (*body)(void*);
  unsigned flags;

  static bool needed_for(const TaskSpec& spec) { return spec.flags & (kTaskFinal | kTaskGuarded); }
  static void run(void* memory) {
    auto& task = *static_cast<Guarded*>(memory);
    Worker& worker = *self;
    if (cancelled(worker, *worker.env)) [[unlikely]] {
      if (task.flags & kTaskDiscards)
        discard(worker, task.body, &task + 1);
      return;
    }
    if (task.flags & kTaskFinal) {
      // That of its frame, with which it ends: what the task opens or sets goes there as well.
      own_env(worker).flags |= kEnvFinal;
      close_fast_path(worker);
    }
    task.body(&task + 1);
  }
};

static_assert(sizeof(Guarded) + sizeof(Box) <= Slot::kRoom);

/// Bytes that a task takes on the stack if its arguments lie there.
std::size_t room_for(const TaskSpec& spec) {
  return spec.size + (Guarded::needed_for(spec) ? sizeof(Guarded) : 0);
}

bool goes_into_box(const TaskSpec& spec) {
  return spec.copy || !fits_in_slot(room_for(spec), spec.align);
}

} // namespace

unsigned flags_where_examined(const Worker& worker, const TaskSpec& spec) {
  if (is_urgent(spec) || worker.task_team->has_priorities.load(std::memory_order_relaxed))
    return kTaskInHeap;
  if (!settings.cancellation)
    return 0;
  TaskSpec guarded = spec;
  guarded.flags |= kTaskGuarded;
  // A box is freed by whoever runs the task in it.
  return goes_into_box(guarded) ? kTaskInHeap : kTaskGuarded;
}

bool fits_on_stack(const Worker& worker, const TaskSpec& spec) {
  return worker.defers_in_place && (!goes_into_box(spec) || fits_in_box(spec.size, spec.align)) &&
         !(spec.flags & (kTaskDetach | kTaskOutside | kTaskInHeap)) &&
         worker.env->child_domain < 0 && !(worker.count > 1 && offers_large(worker));
}

namespace {

/// After a push: how many more may be made without coming here. Those that are ordered are counted
/// as well, as the limit stays where it is when they go.
void set_limit(Worker& worker) {
  SplitStack& stack = worker.stack;
  Slot* top = stack.top() + 1;
  int64_t more = most_waiting(worker) - stack.waiting(stack.current->depth) - stack.ordered;
  XOMP_ASSERT(top <= stack.last);
  more = std::min(more, room_besides_frames(stack));
  stack.limit.store(top + std::max<int64_t>(more, 0), std::memory_order_relaxed);
}

void create_boxed(Worker& worker, const TaskSpec& spec) {
  Box box = pack(worker, spec);
  TaskSpec boxed = spec;
  boxed.body = Box::run;
  boxed.data = &box;
  boxed.copy = nullptr;
  boxed.size = sizeof box;
  boxed.align = alignof(Box);
  // From the beginning: what the copy function created may have taken the room.
  create_on_stack(worker, boxed);
}

} // namespace

void create_on_stack(Worker& worker, const TaskSpec& spec) {
  if (AtOnce why = why_not_on_stack(worker); why != AtOnce::kNot) {
    if (worker.count > 1 && worker.stack.first)
      answer(worker);
    if (worker.count == 1)
      return run_now(worker, spec, why);
    int64_t begin = sys::ticks();
    run_now(worker, spec, why);
    return note_size_at_once(worker, sys::ticks() - begin);
  }
  if (goes_into_box(spec))
    return create_boxed(worker, spec);
  ++worker.counters.created;
  ++worker.counters.deferred;
  SplitStack& stack = worker.stack;
  Slot* slot = stack.top() + 1;
  void* arguments = slot->arguments;
  slot->body = spec.body;
  if (Guarded::needed_for(spec)) {
    slot->body = Guarded::run;
    arguments = ::new (arguments) Guarded{spec.body, spec.flags} + 1;
  }
  copy_arguments(arguments, spec.data, spec.size);
  stack.push(slot);
  if (worker.count > 1)
    answer(worker);
  else if (stack.all_public)
    stack.expose();
  else
    set_limit(worker);
}

namespace {

/// Whether all that the current task keeps private is over sooner than a thief has come for it.
/// False once thieves have noted that the owner is away.
bool keeps_small(const Worker& worker) {
  const SplitStack& stack = worker.stack;
  // What lies below may be a theft.
  int64_t kept = std::min<int64_t>(stack.kept_private(), stack.top() - stack.current);
  return !stack.all_public && !stack.owner_is_away() &&
         are_small(worker, std::max<int64_t>(kept, 1));
}

} // namespace

void answer(Worker& worker) {
  XOMP_ASSERT(self == &worker);
  SplitStack& stack = worker.stack;
  // Before the fence and the look at who sleeps.
  if (worker.count > 1)
    worker.task_team->stacks_in_use.note(worker.id);
  bool small = keeps_small(worker);
  bool again = !small && stack.is_asked() && stack.kept_private() > 0 && stack.expose();
  // Nobody is to come for tiny ones however many there are.
  small = small || are_tiny(worker);
  wake_for_own(worker, small);
  if (stack.all_public)
    return;
  set_limit(worker);
  // Either this worker sees the sleeper, or a worker about to sleep sees the limit (task/steal.h):
  // there is a fence in the question.
  if (somebody_to_wake(*worker.task_team, small) || again)
    stack.ask();
}

} // namespace xomp
