// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Creation of tasks with `depend` clauses (task/depend.h).
#include <algorithm>

#include "events/events.h"
#include "task/at_once.h"
#include "task/children.h"
#include "task/create.h"
#include "task/create_deferred.h"
#include "task/depend.h"
#include "task/full_frame.h"
#include "task/in_order.h"
#include "task/placement.h"
#include "task/taskwait.h"
#include "task/trace_creation.h"

namespace xomp {
namespace {

/// Whether no sibling is unfinished that a task with these accesses comes after, or excludes.
bool nothing_in_its_way(FullFrame& parent, const DependList& depend) {
  bool nothing = true;
  for_each_predecessor(parent, depend, true, [&](DeferredTask&) { nothing = false; });
  return nothing;
}

/// An undeferred task waits for its predecessors. So does one that would be one too many with
/// unfinished predecessors, but only as long as that gets anywhere: what is waited for may itself
/// wait for what the creator does next. True: an undeferred task may run.
bool make_way(Worker& worker, const TaskSpec& spec, bool deferrable) {
  FullFrame* parent = current_full_frame(worker);
  if (!parent || !parent->depends)
    return true;
  if (!deferrable) {
    if (nothing_in_its_way(*parent, spec.depend))
      return true;
    trace::Waiting traced(worker.track, trace::Kind::kDependenceWait, spec.codeptr);
    wait_for_predecessors(worker, *parent, spec.depend, false);
    return nothing_in_its_way(*parent, spec.depend);
  }
  uint32_t limit = std::max(parent->waiting_limit, usual_waiting_limit(worker));
  if (!too_many_wait(worker, *parent, limit)) {
    if (parent->waiting_count < limit / 4)
      parent->waiting_limit = limit / 2;
    return true;
  }
  if (!wait_for_fewer(worker, *parent, limit / 2))
    parent->waiting_limit = limit * 2;
  return true;
}

[[gnu::noinline]] void create_in_heap(Worker& worker, const TaskSpec& spec, bool deferrable) {
  bool detach = spec.flags & kTaskDetach;
  bool may_run = make_way(worker, spec, deferrable);
  if (!detach && !deferrable && may_run)
    return run_now(worker, spec, AtOnce::kSaid);
  FullFrame* known = current_full_frame(worker);
  choose_domain(worker, deferrable);
  AtOnce why = why_at_once(worker, spec, deferrable);
  bool alone = deferrable && why != AtOnce::kNot; // nobody else can have it
  // Run it now if nothing has to be waited for: it will be over before the next sibling is created.
  if (!detach && alone && !leave_for_later(worker, why) &&
      (!known || nothing_in_its_way(*known, spec.depend)))
    return run_now(worker, spec, why);
  FullFrame& parent = own_full_frame(worker);
  std::size_t edges = edges_in_block(spec.depend.size());
  DeferredTask& task = new_child(worker, parent, spec.size, spec.align, edges);
  fill(worker, task, spec);
  leave_order(worker); // what the program's copy function has created comes before
  bool ready =
      enter_dependences(parent, task, spec.depend, !deferrable, room_in_block(task, edges));
  if (deferrable && ready)
    return offer(worker, task, why);
  if (deferrable) {
    add_waiting(parent, task);
    return trace_deferred(worker, task);
  }
  if (ready) {
    add_ready(parent, task);
  } else {
    add_waiting(parent, task);
    wait_for_admission(worker, task);
  }
  run_undeferred(worker, task, spec);
}

} // namespace

void create_with_dependences(Worker& worker, const TaskSpec& spec, bool deferrable) {
  if (deferrable && worker.count == 1 && create_in_order(worker, spec))
    return;
  leave_order(worker);
  create_in_heap(worker, spec, deferrable);
}

} // namespace xomp
