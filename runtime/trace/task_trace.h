// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What listeners know of a task. It exists only where somebody listens: of a task that is run at
// once on its creator's stack, of a deferred one behind it in its memory, of an implicit one in its
// member.
#pragma once
#include <cstdint>

#include "trace/tool_data.h"

namespace xomp::trace {

struct TaskTrace {
  uint64_t id = 0; ///< 0: unknown, as nobody listened when it was created
  uint64_t parent = 0;
  uintptr_t body = 0;         ///< the outlined function
  int64_t begin = 0;          ///< ticks when it began
  TaskTrace* outer = nullptr; ///< what its thread was in the middle of
  int64_t created = 0;        ///< deferred: ticks when its creation began
  uint64_t place = 0;         ///< deferred: where in the program that was
  uint32_t creator = 0;       ///< number of its track
  uint8_t creator_domain = 0;
  uint8_t data_domain = 0; ///< for which it is meant; kNoDomain: none
  uint8_t flags = 0;       ///< Task's in trace/flags.def
  bool notable = false;    ///< it has waited, or made a deferred task
  ToolTask tool;           ///< set only where a tool is there
};

} // namespace xomp::trace
