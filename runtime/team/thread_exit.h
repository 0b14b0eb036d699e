// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a thread of the program leaves when it ends: its initial team, whose tasks may be unfinished
// because events are open. States and races: team/README.md.
#pragma once
#include "team/team.h"

namespace xomp {

/// The calling thread ends; `team` is its initial team. Runs the tasks that are ready. The team and
/// the thread's record are freed now, or by whoever takes the team over when the last event is
/// fulfilled.
void leave_initial_team(Team& team);

} // namespace xomp
