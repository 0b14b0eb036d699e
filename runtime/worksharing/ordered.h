// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ordered regions of a loop with the ordered clause. Chunks are consecutive iterations, so one word
// is enough: `WorkShare::turn`, the iteration up to which all ordered regions have run. A chunk
// passes it on as soon as it has left as many ordered regions as it has iterations, or else when it
// ends.
#pragma once
#include "worksharing/workshare.h"

namespace xomp {

/// The member was given the iterations begin .. end-1.
inline void begin_ordered_chunk(Member& member, uint64_t begin, uint64_t end) {
  member.chunks.begin = begin;
  member.chunks.end = end;
  member.chunks.ordered = 0;
}
/// The member is through with its chunk, if it has one: waits for its turn and passes it on, unless
/// it did.
void finish_ordered_chunk(Member& member, WorkShare& share);

/// ordered region of a loop in order: waits until those of all earlier iterations have run.
void enter_ordered(Member& member, WorkShare& share, const void* codeptr);
void enter_ordered_traced(Member& member, WorkShare& share, const void* codeptr);
void leave_ordered(Member& member, WorkShare& share, const void* codeptr);
inline bool in_order(const Member& member, const WorkShare* share) {
  return share && (share->special & kLoopInOrder) && member.chunks.begin != member.chunks.end;
}
/// An ordered region in any loop. Inline, so that the return address is the program's. `known`: see
/// trace::NothingKnown.
template <class Known = trace::NothingKnown>
[[gnu::always_inline]] inline void ordered_start(Member& member, Known known = {}) {
  WorkShare* share = member.workshare;
  if (!in_order(member, share))
    return;
  const void* codeptr = __builtin_return_address(0);
  if (member.track) [[unlikely]]
    return known.template call<enter_ordered_traced>(codeptr, member, *share, codeptr);
  enter_ordered(member, *share, codeptr);
}
[[gnu::always_inline]] inline void ordered_end(Member& member) {
  if (WorkShare* share = member.workshare; in_order(member, share))
    leave_ordered(member, *share, __builtin_return_address(0));
}

} // namespace xomp
