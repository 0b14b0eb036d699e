// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "team/cancel.h"

#include "conf/settings.h"
#include "team/workshare.h"

namespace xomp {
namespace {

void wake_everybody(Member& member) {
  for (int i = 0; i < member.count; ++i) {
    if (i != member.id) member.team->members[i]->bell.ring();
  }
  workshare_wake(*member.team);
}

} // namespace

bool cancellation_point(Member& member, int which) {
  if (!settings.cancellation) return false;
  Team& team = *member.team;
  if (which & (kCancelLoop | kCancelSections)) {
    if (team.workshare_cancelled.load(std::memory_order_relaxed)) return true;
  } else if (which & kCancelTaskgroup) {
    Taskgroup* group = member.current->env->group;
    if (group && group->workshare) group = group->outer;
    if (group && group->cancelled.load(std::memory_order_relaxed)) return true;
  }
  return team.cancelled.load(std::memory_order_relaxed);
}

bool cancel(Member& member, int which) {
  if (!settings.cancellation) return false;
  Team& team = *member.team;
  if (which & (kCancelLoop | kCancelSections)) {
    // A team of one has nobody to tell, but its own next() looks at the flag as well.
    team.workshare_cancelled.store(true, std::memory_order_relaxed);
  } else if (which & kCancelTaskgroup) {
    Taskgroup* group = member.current->env->group;
    if (group && group->workshare) group = group->outer;
    if (group) group->cancelled.store(true, std::memory_order_relaxed);
    return true;
  } else {
    // Release: members that stop because of it see what was done before.
    team.cancelled.store(true, std::memory_order_release);
    wake_everybody(member);
  }
  return true;
}

} // namespace xomp
