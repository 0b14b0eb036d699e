// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that the runtime knows: the program's own, met at their first call, and the pool's.
#pragma once
#include "team/team.h"

namespace xomp {

/// Whether any thread of this process, or of the one that it was forked from, is known.
bool knows_a_thread();

/// Ends the teams that the thread keeps, and their threads.
void end_idle_teams(Thread& thread);

/// The calling thread ends; `team` is its initial team. Runs the tasks that are ready. The team and
/// the thread's record are freed now, or by whoever takes the team over when the last event is
/// fulfilled (team/thread_exit.cc).
void leave_initial_team(Team& team);

/// In the child after fork: only the calling thread exists.
void after_fork_in_child();

/// Ends the calling thread's idle teams (omp_pause_resource) where no region is open; false in one.
bool pause_host(Member& member);

} // namespace xomp
