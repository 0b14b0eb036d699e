// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// single: the members draw the same ticket once each; whoever changes the team's word first
// executes the region. copyprivate: the others wait at a barrier, which lets them run the tasks
// that the region creates.
#pragma once
#include "team/team.h"

namespace xomp {

/// Whether the member executes it, in a team in which many ask; where somebody listens.
bool single_with_look(Member& member, uint32_t mine);
bool single_traced(Member& member, uint32_t mine, const void* codeptr);

/// A member that is behind knows of all tickets before the one that it saw last that they are
/// taken, and leaves the line to those in front.
inline bool is_known_taken(const Member& member, uint32_t mine) {
  return static_cast<int32_t>(member.singles_taken - mine) > 0;
}
/// Relaxed: the ticket orders nothing but itself.
inline bool takes_single(Member& member, uint32_t mine) {
  if (is_known_taken(member, mine))
    return false;
  uint32_t next = mine;
  if (member.team->single_ticket.compare_exchange_strong(next, mine + 1, std::memory_order_relaxed))
    return true;
  member.singles_taken = next;
  return false;
}

/// True: the member executes the region. Inline, so that the return address is the program's.
/// `known`: see trace::NothingKnown.
template <class Known = trace::NothingKnown>
[[gnu::always_inline]] inline bool single_start(Member& member, Known known = {}) {
  if (member.at_single == AtSingle::kAlone)
    return true;
  uint32_t mine = member.singles++;
  if (member.at_single != AtSingle::kLook) [[likely]]
    return takes_single(member, mine);
  if (!member.track) [[likely]]
    return single_with_look(member, mine);
  const void* codeptr = __builtin_return_address(0);
  return known.template call<single_traced>(codeptr, member, mine, codeptr);
}

/// What a member that does not execute the region does.
void* await_copy(Member& member, const void* codeptr);
/// Null: the member executes the region; otherwise the data that the executing member has handed
/// over. A thread that waits for that when the region is cancelled executes it for itself: the data
/// may never come.
[[gnu::always_inline]] inline void* single_copy_start(Member& member) {
  if (single_start(member))
    return nullptr;
  return await_copy(member, __builtin_return_address(0));
}
/// The executing member, at the region's end.
void single_copy_end(Member& member, void* data, const void* codeptr);

} // namespace xomp
