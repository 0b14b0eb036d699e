// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a team needs of its worksharing constructs. Worksharing lies above and includes the team,
// not the other way around: what is declared here and not defined is in worksharing/workshare.cc
// and worksharing/single.cc.
#pragma once
#include "team/team.h"

namespace xomp {

/// Forgets what an earlier region left behind. By the master, before any member starts.
void workshare_region_start(Team& team);
/// By each member when it starts in a region.
void workshare_member_start(Member& member);
/// Frees the segments. By whoever frees the team, before its members.
void workshare_team_end(Team& team);
/// In a child of fork: other threads may have held the lock.
void workshare_after_fork(Team& team);
/// There, for the calling thread's member: it is in a construct that has nothing left to hand out.
void workshare_stand_in(Member& member);

/// The look spares latecomers the atomic exchange; of a few members each may well be the first, for
/// whom it is one more transfer, and a latecomer asks once only. A thread that is alone needs none.
inline AtSingle way_at_single(const Member& member) {
  constexpr int kFew = 4;
  if (member.count == 1)
    return AtSingle::kAlone;
  return member.count > kFew ? AtSingle::kLook : AtSingle::kRace;
}

/// Where cancellation is on: the member that got copyprivate data has come to the next barrier.
void end_copying(Member& member);
/// Whether nobody reads such data or is going to, in a cancelled region.
bool nobody_copies(Team& team);

} // namespace xomp
