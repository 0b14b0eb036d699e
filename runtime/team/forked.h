// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a child goes on that was forked inside a parallel region.
#pragma once
#include "team/team.h"

namespace xomp {

/// In the child after fork: the thread acts in a team of one from here on, as one that is in no
/// active region, if `member` is in one.
void leave_active_regions(Member& member);

} // namespace xomp
