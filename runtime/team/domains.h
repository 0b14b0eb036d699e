// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In which locality domain each member of a team runs (`Port::domain`).
#pragma once
#include "team/team.h"

namespace xomp {

/// Whether the members' places have changed so that `enter_domains` would change something.
bool domains_change(const Team& team, int threads);
/// Sets the domain of each of the first `threads` members: that of its place if it is bound, else
/// one of blocks of equal size. Nobody but the master may be looking.
void enter_domains(Team& team, int threads);

} // namespace xomp
