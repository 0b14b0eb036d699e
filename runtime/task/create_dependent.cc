// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "task/create_dependent.h"

#include <algorithm>

#include "task/at_once.h"
#include "task/create_deferred.h"
#include "task/creation_told.h"
#include "task/depend.h"
#include "task/family.h"
#include "task/wait.h"

namespace xomp {
namespace {

/// Waiting tasks that a creator may leave behind before it waits itself (bounded memory).
uint32_t waiting_limit(const Worker& worker) {
  return 1024 + 2 * settings.queue_size * static_cast<uint32_t>(worker.count);
}

/// Whether no sibling is unfinished that a task with these accesses comes after, or excludes.
bool nothing_in_its_way(Family& family, void** depend) {
  bool nothing = true;
  for_each_predecessor(family, DependList(depend, true), [&](DeferredTask&) { nothing = false; });
  return nothing;
}

/// An undeferred task waits for its predecessors. So does one that would be one too many with
/// unfinished predecessors, but only as long as that gets anywhere: what is waited for may itself
/// wait for what the creator does next. True: an undeferred task may run.
bool make_way(Worker& worker, const TaskSpec& spec, bool deferrable) {
  Family* family = family_of_current(worker);
  if (!family || !family->depends)
    return true;
  if (!deferrable) {
    if (nothing_in_its_way(*family, spec.depend))
      return true;
    wait_for_predecessors(worker, *family, DependList(spec.depend));
    return nothing_in_its_way(*family, spec.depend);
  }
  uint32_t limit = std::max(family->most_waiting, waiting_limit(worker));
  if (!too_many_wait(worker, *family, limit)) {
    if (family->waiting_count < limit / 4)
      family->most_waiting = limit / 2;
    return true;
  }
  if (!wait_for_fewer(worker, *family, limit / 2))
    family->most_waiting = limit * 2;
  return true;
}

} // namespace

void create_with_dependences(Worker& worker, const TaskSpec& spec, bool deferrable) {
  bool detach = spec.flags & kTaskDetach;
  bool may_run = make_way(worker, spec, deferrable);
  if (!detach && !deferrable && may_run)
    return run_now(worker, spec, AtOnce::kSaid);
  Family* known = family_of_current(worker);
  choose_domain(worker, deferrable);
  AtOnce why = deferrable ? why_not_deferred(worker, spec) : AtOnce::kNot;
  bool alone = why != AtOnce::kNot;
  // Run it now if nothing has to be waited for: it will be over before the next sibling is created.
  if (!detach && alone && !leave_for_later(worker) &&
      (!known || nothing_in_its_way(*known, spec.depend)))
    return run_now(worker, spec, why);
  Family& family = own_family(worker);
  DependList list(spec.depend);
  // The program's copy function may create siblings.
  std::size_t room = spec.copy ? kNotCounted : count_predecessors(family, list);
  DeferredTask& task =
      new_child(worker, family, spec.size, spec.align, room == kNotCounted ? 0 : room);
  fill(worker, task, spec);
  // When it runs, as those are that are offered at once. Before anybody else may have it.
  task.measured = worker.count > 1;
  bool ready = enter_dependences(family, task, list, !deferrable, room);
  if (deferrable && ready)
    return offer(worker, task, alone);
  if (deferrable) {
    add_waiting(family, task);
    return tell_deferred(worker, task);
  }
  if (ready) {
    add_ready(family, task);
  } else {
    add_waiting(family, task);
    wait_for_admission(worker, task);
  }
  run_claimed(worker, task);
}

} // namespace xomp
