// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In which locality domain each member of a team runs (`Port::domain`), and what a task may ask and
// say about it (paper 3, section 5.1).
#pragma once
#include "team/team.h"

namespace xomp {

/// Whether the members' places have changed so that `enter_domains` would change something.
bool domains_change(const Team& team, int threads);
/// Sets the domain of each of the first `threads` members: that of its place if it is bound, else
/// one of blocks of equal size. Nobody but the master may be looking.
void enter_domains(Team& team, int threads);

/// Where the member runs: a team of one is where its creator is.
int current_domain(const Member& member);
/// The current task's children belong into `domain` from here on; into its own, if there is none of
/// that number.
void set_child_domain(Member& member, int domain);

} // namespace xomp
