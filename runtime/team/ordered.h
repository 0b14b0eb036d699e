// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ordered regions of a loop with the ordered clause. Chunks are consecutive iterations, so one word
// is enough: `WorkShare::turn`, the iteration up to which all ordered regions have run. A chunk
// passes it on as soon as it has left as many ordered regions as it has iterations, or else when it
// ends.
#pragma once
#include "team/workshare.h"

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

/// ordered region: waits until those of all earlier iterations have run.
void ordered_start(Member& member);
void ordered_end(Member& member);

} // namespace xomp
