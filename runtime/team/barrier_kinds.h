// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of which barrier.cc makes the team's barriers. Every kind is a poll that a waiting
// member calls between tasks: it does this member's part, and is true when the barrier is over. At
// the region's end it need be true on member 0 only.
#pragma once
#include "team/team.h"

namespace xomp {

/// Which of the two barriers of a team: the one inside the region, or the join at its end.
using NodeField = BarrierNode Member::*;
inline bool all_wait(NodeField node) { return node == &Member::inner; }
inline SharedBarrier& shared_of(const Member& member, NodeField node) {
  return all_wait(node) ? member.team->shared_inner : member.team->shared_join;
}

/// None of the tasks that this member created is left, and it holds none (barrier.cc).
bool settled(Member& member);
/// Whether it ran or created tasks that others could have, or had tasks stolen, since it was asked
/// last. After `settled`.
bool was_dirty(Member& member);

bool tree_poll(Member& member, NodeField node);    // barrier_tree.cc
bool pair_poll(Member& member);                    // barrier_pair.cc, inside the region
bool flat_poll(Member& member, NodeField node);    // barrier_flat.cc
bool central_poll(Member& member, NodeField node); // barrier_central.cc

/// All words as before the first barrier. Nobody may be at one.
void reset(Member& member, NodeField node);

} // namespace xomp
