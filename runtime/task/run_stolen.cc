// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a thief does with what it has taken.
#include <utility>

#include "sys/assert.h"
#include "sys/delay.h"
#include "sys/ticks.h"
#include "task/activity.h"
#include "task/ask.h"
#include "task/backoff.h"
#include "task/environment.h"
#include "task/full_frame.h"
#include "task/group.h"
#include "task/guest.h"
#include "task/steal.h"

namespace xomp {
namespace {

/// The tasks of a theft that were run here are done.
void report_to_parent(Guest& guest) {
  if (guest.done == 0)
    return;
  FullFrame& parent = *guest.parent;
  Worker& owner = *parent.owner;
  XOMP_ASSERT(parent.stolen.load(std::memory_order_relaxed) >= guest.done);
  // Release: the waiter sees what they did.
  parent.stolen.fetch_sub(std::exchange(guest.done, 0), std::memory_order_release);
  owner.bell.ring();
}

/// Moves the oldest task of a theft to the top of the stack: the first one, which nobody else can
/// take, or one of those that may be gone. Null: none is left. `child`: whether its parent waits
/// for it.
Slot* next_stolen(Worker& worker, Slot* mark, bool first, bool& child) {
  SplitStack& stack = worker.stack;
  Guest& guest = guest_of(*mark);
  Slot* frame = stack.top() + 1;
  stack.lock();
  if (first) {
    XOMP_ASSERT(mark[1].link.load(std::memory_order_relaxed) == Slot::kGone && mark[1].body);
    frame->take_over(mark[1], Slot::kGone);
    mark[1].body = nullptr;
    child = mark[1].depth == Slot::kPending;
  } else {
    Slot* slot = SplitStack::next_pending(mark + 1, guest.end);
    if (slot == guest.end) {
      stack.unlock();
      return nullptr;
    }
    child = SplitStack::take(slot, frame) == Slot::kPending;
  }
  frame->link.store(0, std::memory_order_relaxed);
  stack.holes = true;
  stack.head.store(frame + 1, std::memory_order_release);
  stack.unlock();
  return frame;
}

/// Tells the tasks' creator what those took that were measured: not one by one, as it reads that
/// line whenever it creates one.
void report_size(Guest& guest) {
  if (guest.measured > 0)
    note_sizes(*guest.creator, guest.measured, guest.measured_ticks);
  guest.measured = 0;
  guest.measured_ticks = 0;
}

/// Runs it, and measures it, unless it has created tasks itself: those are what is measured then.
void run_measured(Worker& worker, Guest& guest, Slot* frame, Slot* outer) {
  expect_no_creation(frame);
  int64_t begin = sys::ticks();
  run_slot(worker, frame, outer);
  if (has_created(frame))
    return;
  int64_t took = sys::ticks() - begin;
  count_size(worker, took);
  ++guest.measured;
  guest.measured_ticks += took;
  if (guest.measured_ticks < kTicksOfTheft)
    return;
  report_size(guest);
  if (offers_large(*guest.creator))
    ask_one(worker, *guest.creator);
}

} // namespace

void run_stolen(Worker& worker, Slot* mark) {
  Activity here(worker, ActivityKind::kTask);
  SplitStack& stack = worker.stack;
  XOMP_ASSERT(self == &worker && mark->body == guest_mark &&
              mark->depth == stack.current->depth + 1);
  Guest& guest = guest_of(*mark);
  Slot* outer = std::exchange(stack.current, mark);
  Env* env = change_env(worker, guest.env);
  Level level(worker);
  int64_t begin = sys::ticks();
  uint64_t measured_before = worker.counters.measured;
  bool first = true, child;
  while (Slot* frame = next_stolen(worker, mark, std::exchange(first, false), child)) {
    if (!child)
      report_to_parent(guest); // the parent does not wait for an orphan
    worker.counters.count_run(false, guest.victim->domain == worker.domain);
    sys::delay();
    run_measured(worker, guest, frame, mark);
    guest.done += child;
    bool left_any =
        stack.top() != guest.end - 1 || worker.ready_successors || worker.ended_with_ready;
    // Before anything that may take long: what these tasks left is run next.
    if (left_any || SplitStack::next_pending(mark + 1, guest.end) == guest.end)
      report_to_parent(guest);
    while (Slot* left = claim_own(worker, guest.end - 1))
      run_own(worker, left);
    level.run_left_behind();
  }
  report_to_parent(guest);
  report_size(guest);
  // Those that have created others are not measured.
  bool measured = worker.counters.measured != measured_before;
  weigh(worker, *guest.creator, guest.end - (mark + 1), sys::ticks() - begin, measured);
  XOMP_ASSERT(stack.current == mark &&
              guest.victim->stack.guests.load(std::memory_order_relaxed) > 0);
  stack.current = outer;
  change_env(worker, env);
  Taskgroup* group = guest.own_env.group;
  Worker& victim = *guest.victim;
  FullFrame& parent = *guest.parent;
  release_env(guest.own_env);
  stack.cut(mark);
  unlink(worker, parent);
  if (group)
    leave_group(nullptr, *group);
  // Release: as for the group, the barrier's.
  victim.stack.guests.fetch_sub(1, std::memory_order_release);
  victim.bell.ring();
}

} // namespace xomp
