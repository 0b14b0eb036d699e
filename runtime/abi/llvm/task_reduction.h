// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Task reductions of this interface: the runtime makes the copies, and combines them itself.
#pragma once
#include <cstddef>
#include <cstdint>

#include "team/team.h"

namespace xomp::llvm {

/// kmp_taskred_input_t: one list item.
struct Reduction {
  void* shared;   ///< where the result goes
  void* original; ///< what `init` may read
  std::size_t size;
  void (*init)(void*, void*);
  void (*end)(void*);
  void (*combine)(void*, void*);
  uint32_t flags;
};
static_assert(sizeof(Reduction) == 56);

/// task_reduction on the innermost taskgroup of the current task.
void register_reductions_of_group(Member& member, int32_t count, const Reduction* items);

/// Ends a taskgroup; when all its tasks are done, combines what they have reduced.
void end_group_with_reductions(Member& member, const void* codeptr);

} // namespace xomp::llvm
