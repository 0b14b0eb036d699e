// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "worksharing/cancel.h"

#include "sys/report.h"
#include "worksharing/workshare.h"

namespace xomp {
namespace {

/// A cancelled loop ends at a barrier: a mark with the phase needs no taking back.
void cancel_workshare(Member& member) {
  member.team->workshare_cancelled.store(member.phase, std::memory_order_relaxed);
  // Loops that the compiler divides have no WorkShare.
  if (!member.workshare)
    return;
  member.workshare->cancelled.store(true, std::memory_order_relaxed);
  member.workshare->events.notify();
}

/// The program's own that the current task is in; null if there is none.
Taskgroup* taskgroup_of(const Member& member) {
  Taskgroup* group = member.env->group;
  return group && group->workshare ? group->outer : group;
}

bool workshare_cancelled(const Member& member) {
  return member.team->workshare_cancelled.load(std::memory_order_relaxed) == member.phase;
}

void wake_everybody(Member& member) {
  ring_others(member);
  workshare_wake(*member.team);
}

int tool_flags(int which) {
  return which & kCancelLoop        ? ompt_cancel_loop
         : which & kCancelSections  ? ompt_cancel_sections
         : which & kCancelTaskgroup ? ompt_cancel_taskgroup
                                    : ompt_cancel_parallel;
}

bool is_cancelled(const Member& member, int which) {
  const Team& team = *member.team;
  if (which & (kCancelLoop | kCancelSections)) {
    if (workshare_cancelled(member))
      return true;
  } else if (which & kCancelTaskgroup) {
    Taskgroup* group = taskgroup_of(member);
    if (group && group->cancelled.load(std::memory_order_relaxed))
      return true;
  } else if (!(which & kCancelParallel)) {
    no_such_kind(which);
  }
  return team.cancelled.load(std::memory_order_relaxed);
}

} // namespace

void no_such_kind(int kind) { sys::fatal("cancel: there is no kind of construct %d", kind); }

bool meets_cancellation(Member& member, int which, const void* codeptr) {
  if (!is_cancelled(member, which))
    return false;
  if (member.track)
    trace::cancel_traced(*member.track, tool_flags(which) | ompt_cancel_detected, codeptr);
  return true;
}

bool cancel_construct(Member& member, int which, const void* codeptr) {
  if (member.track)
    trace::cancel_traced(*member.track, tool_flags(which) | ompt_cancel_activated, codeptr);
  Team& team = *member.team;
  if (which & (kCancelLoop | kCancelSections)) {
    cancel_workshare(member);
  } else if (which & kCancelTaskgroup) {
    if (Taskgroup* group = taskgroup_of(member))
      group->cancelled.store(true, std::memory_order_relaxed);
    return true;
  } else if (!(which & kCancelParallel)) {
    no_such_kind(which);
  } else {
    // Release: members that stop because of it see what was done before.
    team.cancelled.store(true, std::memory_order_release);
    wake_everybody(member);
  }
  return true;
}

} // namespace xomp
