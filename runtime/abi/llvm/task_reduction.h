// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Task reductions of this interface: the runtime makes the copies, and combines them itself.
#pragma once
#include "team/team.h"

namespace xomp::llvm {

/// Ends a taskgroup; when all its tasks are done, combines what they have reduced.
void end_group_with_reductions(Member& member, const void* codeptr);

} // namespace xomp::llvm
