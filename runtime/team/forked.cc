// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The other threads of the regions around a call of fork are not in the child. For each region to
// whose end its thread can come it gets another one of one thread, at the nesting level outside of
// all of them, inside constructs of which nothing is left. What the thread is in the middle of
// stays where it is: the frames below are still in it.
#include "team/forked.h"

#include "conf/settings.h"
#include "sched/policy.h"
#include "sys/memory.h"
#include "sys/report.h"
#include "task/environment.h"
#include "task/group.h"
#include "team/constructs.h"
#include "team/member.h"
#include "team/pool.h"
#include "team/region.h"
#include "team/watchdog.h"
#include "trace/counters.h"

namespace xomp {
namespace {

void act_outside(Member& member) {
  member.thread->places = member.partition;
  act_in(member);
  if (settings.counts())
    enlist(member.counters, member.team, member.id);
}

/// What was a worker is an initial thread, with the ICVs of the one that its region came from.
void act_as_initial(const Member& worker) {
  Thread& thread = *worker.thread;
  Team& team = new_initial_team(thread);
  team.icv = icv(*worker.team->root->members[0]);
  Member& initial = *team.members[0];
  thread.initial = &initial;
  thread.places = initial.partition = initial_partition();
  begin_member(initial);
}

/// A region of one thread in place of the one in which the thread was `master`.
void act_in_region_of_one(Member& master) {
  const Member& creator = static_cast<Member&>(*self);
  region_start(master.start.body, master.start.argument, 1, 0);
  Team& team = *static_cast<Member&>(*self).team;
  team.level = creator.team->level;
  team.icv = icv(creator);
}

/// The ends of the constructs that `before` is in may come.
void stand_in(const Member& before) {
  Member& member = static_cast<Member&>(*self);
  for (Taskgroup* group = before.env->group; group; group = group->outer)
    open_group(member);
  if (before.workshare)
    workshare_stand_in(member);
}

void wait_in_vain(Port&, bool /*last*/) {
  sys::fatal("a child of fork has come back to a wait of the team in which it was forked, whose "
             "other threads it does not have");
}

/// Frames may still come to its waits, a barrier around a task that has called fork, say. What is
/// over, or found to run, is no matter.
void lose_team(Member& left) {
  auto* policy = sys::create<Policy>(*left.policy);
  policy->found_nothing = wait_in_vain;
  left.policy = policy;
}

void go_on(Member& before) {
  Team& team = *before.team;
  if (team.active_level == 0)
    return act_outside(before);
  if (before.count > 1)
    lose_team(before);
  if (before.id == 0) {
    go_on(*team.creator);
    act_in_region_of_one(before);
  } else {
    act_as_initial(before);
  }
  stand_in(before);
}

} // namespace

void leave_active_regions(Member& member) {
  if (member.team->active_level == 0)
    return;
  // Leak checkers find it there.
  Thread& thread = *member.thread;
  member.team->next_idle = thread.left_by_fork;
  thread.left_by_fork = member.team;
  go_on(member);
  restart_watchdog_after_fork(static_cast<Member*>(self));
}

} // namespace xomp
