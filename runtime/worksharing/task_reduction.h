// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// reduction(task, ...) on worksharing constructs, scope and parallel: the members share one set of
// copies, and each has a taskgroup of its own for the tasks that take part.
#pragma once
#include "worksharing/workshare.h"

namespace xomp {

/// Before the construct: opens the member's group.
void start_reduction_group(Member& member);
/// Inside it: the first member registers, before it opens the construct; the others take over what
/// it made.
void join_reductions(Member& member, WorkShare& share, uintptr_t* chain, bool first);
/// scope with task reductions, which uses a construct only as the meeting point for them.
void start_scope(Member& member, uintptr_t* chain);
/// The innermost group, at the end of such a construct; ends the process if it is of none.
Taskgroup& reduction_group(const Member& member);
/// Behind the construct: waits for the tasks and forgets the reductions.
void end_reductions(Member& member, bool cancelled, const void* codeptr);

/// parallel with task reductions; the chain's address is the first word of `argument`. Returns the
/// number of threads, for which the program then combines the copies.
unsigned parallel_reductions(void (*body)(void*), void* argument, unsigned threads, unsigned bind,
                             const trace::CallSite& site);

} // namespace xomp
