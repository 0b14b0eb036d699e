// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nonmonotonic dynamic and guided loops (OpenMP 5.2, 11.5.3): each member takes chunks from a range
// of its own; one whose range is empty steals half of another's. Protocol, races and model:
// team/README-worksharing.md.
#pragma once
#include "team/workshare.h"

namespace xomp {

/// The iterations that a member has before it, counted in units of `WorkShare::chunk`: the first
/// one in the low half, the end in the high half. The owner takes from the front, thieves from the
/// back.
struct alignas(sys::kNoSharing) StealRange {
  std::atomic<uint64_t> units{0};
};

/// Gives every member its part of the loop in `share`, whose trips and chunk are set. False: there
/// are too few chunks to be worth it, or more than a range can count.
bool divide_among_members(WorkShare& share, int members, bool guided);
/// The member's next chunk.
bool stealing_chunk(Member& member, WorkShare& share, bool guided, uint64_t& begin, uint64_t& end);

} // namespace xomp
