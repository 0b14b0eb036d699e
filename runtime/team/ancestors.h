// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who a member was in the teams around its own (omp_get_ancestor_thread_num, omp_get_team_size).
#pragma once
#include "team/team.h"

namespace xomp {

/// The membership at a nesting level from which `member` descends; null when there is no such
/// level.
inline const Member* ancestor(const Member& member, int level) {
  if (level < 0 || level > member.team->level)
    return nullptr;
  const Member* found = &member;
  while (found->team->level > level)
    found = found->team->creator;
  return found;
}

/// The initial team that is one team after the other of the league to which `member` belongs, and
/// knows its numbers.
inline Team& league_of(const Member& member) { return *member.team->root; }

} // namespace xomp
