// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The last lines of XOMP_DISPLAY: what the scheduler made of the program's tasks, regions and
// loops, out of the counters. What each line means: docs/variables.md.
#pragma once

namespace xomp {

/// When the process starts: from here on ticks are compared with time.
void begin_display_summary();

/// When the process ends: writes the lines to stderr, nothing if there were no tasks and no
/// regions.
void print_display_summary();

} // namespace xomp
