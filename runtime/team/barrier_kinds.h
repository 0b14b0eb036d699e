// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of which barrier.cc makes the team's barriers. Every kind is a poll that a waiting
// member calls between tasks.
#pragma once
#include "team/team.h"

namespace xomp {

using NodeField = BarrierNode Member::*;

/// None of the tasks that this member created is left, and it holds none (barrier.cc).
bool settled(Member& member);
/// Whether it ran or created tasks that others could have, or had tasks stolen, since it was asked
/// last. After `settled`.
bool was_busy(Member& member);

// Tree (barrier_tree.cc).
void tree_enter(Member& member, NodeField node);
/// Does this member's part. True: over. `all_wait`: for that; otherwise only member 0 does.
bool tree_poll(Member& member, NodeField node, bool all_wait);
void tree_reset(Member& member, NodeField node);

// Tree of two (barrier_pair.cc), inside the region.
void pair_enter(Member& member);
/// Does this member's part. True: over.
bool pair_poll(Member& member);

// Flat (barrier_flat.cc).
void flat_enter(Member& member, SharedBarrier& node);
/// Does this member's part. True: over. `all_wait`: for that; otherwise only member 0 does.
bool flat_poll(Member& member, SharedBarrier& node, bool all_wait);

// Central (barrier_central.cc).
void central_enter(Member& member, SharedBarrier& node);
/// True: over. The member that finds it over first wakes the others if `all_wait` for that;
/// otherwise only member 0 polls.
bool central_poll(Member& member, SharedBarrier& node, bool all_wait);

} // namespace xomp
