// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A member's part of the start and the end of a region.
#pragma once
#include "team/team.h"

namespace xomp {

/// The calling thread becomes `member`: fresh implicit task, worksharing state, binding.
void begin_member(Member& member);
/// What the implicit task leaves behind is given up.
void end_member(Member& member);

/// Whether its ordinary tasks lie on its stack: not where each has more to carry with it. Again
/// when what decides has changed, while it has none there.
void choose_stack(Member& member);

} // namespace xomp
