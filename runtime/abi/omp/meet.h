// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tool starts with the first routine that the program calls, as on libomp: `main` often asks for
// the number of threads before there is a region. Most routines meet the calling thread anyway;
// those that can answer without it are told here to do so for a tool's sake.
#pragma once
#include "team/team.h"
#include "trace/stream.h"

namespace xomp {

/// One load where there can be no tool.
[[gnu::always_inline]] inline void meet_for_tool() {
  if (trace::listening(trace::kTool)) [[unlikely]]
    me();
}

} // namespace xomp
