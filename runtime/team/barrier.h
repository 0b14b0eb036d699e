// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers of a team. A barrier is a task scheduling point: whoever waits runs tasks, and it ends
// only when no task of the team is left (rule, races and model: team/README.md). The kinds are in
// barrier_tree.cc (paper 1, section III.B), barrier_pair.cc (the tree's rule for two),
// barrier_flat.cc (a count of those that are settled, for more threads than processors) and
// barrier_central.cc (section III.A).
#pragma once
#include "team/team.h"

namespace xomp {

/// Explicit and implicit barriers inside a region. True: the region is cancelled, and the members
/// that went to its end do not come. A caller that can goes there, too; one that cannot, because
/// the compiler did not see that the region may be cancelled, goes on without having waited.
bool plain_barrier(Member& member);
/// A barrier where cancellation is on or somebody listens; `flags`: Barrier's in trace/flags.def.
bool special_barrier(Member& member, const void* codeptr, uint8_t flags);

/// Inline, so that the return address is the program's.
[[gnu::always_inline]] inline bool barrier(Member& member, uint8_t flags = 0) {
  if (member.barriers_ask) [[unlikely]]
    return special_barrier(member, __builtin_return_address(0), flags);
  return plain_barrier(member);
}
/// As part of a construct whose place is known.
inline bool barrier_at(Member& member, const void* codeptr) {
  return member.barriers_ask ? special_barrier(member, codeptr, 0) : plain_barrier(member);
}

/// The region's end on the master: returns when every member has arrived and no task is left.
void join(Member& member);
/// The region's end on another member: arrives, and helps until it is called.
void wait_for_region(Member& member);
/// Whether a member is called to another region, or to leave (`Team::leaving`).
inline bool is_called(const Member& member) {
  // Acquire: what its call says.
  return member.start.go.load(std::memory_order_acquire) != member.region_seen;
}

} // namespace xomp
