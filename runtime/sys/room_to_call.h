// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls into libraries of others from threads that may have a small stack. Of a program's thread
// the runtime takes a few kB at most; what hwloc takes, or the loader that brings it in, nobody
// promises.
#pragma once

namespace xomp::sys {

/// Calls `function(argument)` on a thread made for it, with a stack of a usual size, and waits
/// until it has ended. False: there can be no such thread, and nothing was called. (A stack without
/// a thread would be faster, and strange to sanitizers, debuggers and shadow stacks.)
bool call_with_room(void* (*function)(void*), void* argument);

} // namespace xomp::sys
