// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Teams at rest: making them, giving them threads, keeping them for the next region, ending them.
#pragma once
#include "team/team.h"

namespace xomp {

/// An idle team of `thread`, or a new one; with members[0] at least. `serial`: for a region of one
/// thread. It gets a team apart, so that a wider one stays as it is for the next region.
Team& take_team(Thread& thread, bool serial);
/// Keeps an idle team for the thread's next region, or ends it: of nested regions only so many
/// threads are kept.
void keep_team(Thread& thread, Team& team);

/// Bytes of the stacks of threads that are made from now on.
std::size_t thread_stack_size();
/// Sees that the team has `threads` members with a running thread each; returns how many it really
/// has. `bind` is the BindPolicy in force; binding of the members to places is prepared.
int staff_team(Team& team, int threads, unsigned bind);

/// Makes every member stop looking at the team's queues and words (after a region, before a change
/// of size). The team has no members then, until it is given its size.
void park_team(Team& team);

/// Counts the region that the master is about to start; returns its number.
uint64_t next_region(Team& team);

/// Announces the region that `member` has begun to the members below `member` in the tree.
void announce(Member& member);

/// Ends the team's threads and frees it. It must be idle.
void end_team(Team& team);
/// Frees a team that has no threads, or whose threads do not exist any more (in the child after
/// fork).
void free_team(Team& team);
/// In the child after fork: no thread waits in an idle team.
void reset_idle_threads();

/// A team of one for a thread that the runtime meets for the first time, or for none.
Team& new_initial_team(Thread& thread);
/// The ICVs that its initial task starts with.
void set_initial_icvs(Team& team);
void free_initial_team(Team& team);

} // namespace xomp
