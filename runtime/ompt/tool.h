// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tool's life: it is looked for, started and ended (OpenMP 5.2, section 19.2). What it is told,
// and what it may ask, are in ompt/tool_events.h and ompt/entries.h.
#pragma once

namespace xomp::trace {

/// Whether there may be a tool: variables and symbols that say so. Looked at when the library is
/// loaded; calls nothing of a tool.
bool tool_may_come();
/// Before the first thread is met: looks for a tool and starts it. True: this call has, and it
/// stays. Other threads wait until it has started, but not for long: the tool may wait for them.
bool start_tool();
/// Somebody is in the middle of that: nobody is told anything yet.
bool tool_starts();
/// It has started and not ended.
bool tool_is_there();
/// The last that it hears. Nothing if there is none, or it has ended.
void end_tool();
/// In the child after fork: a tool may have been in the middle of anything on threads that the
/// child does not have, so it is told nothing there. One that has not started yet may start.
void forget_tool_after_fork();

} // namespace xomp::trace
