// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Task reductions: where each worker's private copies lie. The compiler describes a clause by a
// chain of blocks of words (GNU ABI), which stays on the stack of the task that has the construct:
//
// | word | meaning |
// | ---- | ------- |
// | 0    | number of list items |
// | 1    | bytes of one worker's copies |
// | 2    | alignment, then the address of all copies |
// | 3    | allocator |
// | 4    | next block; in the last one we link the enclosing construct's chain |
// | 5, 6 | ours: whether this is the head of a chain; the end of the copies |
// | 7 .. | three for each item: address of the original, offset of the copy, unused |
#pragma once
#include "task/worker.h"

namespace xomp {

/// Allocates zeroed copies for `workers` workers. `enclosing` (may be null) is searched after the
/// chain.
void register_reductions(uintptr_t* chain, uintptr_t* enclosing, int workers);
/// As `register_reductions`, for a member that comes later: it gets the copies of the member that
/// was first.
void share_reductions(uintptr_t* chain, uintptr_t* enclosing, const uintptr_t* first);
/// Frees the copies.
void unregister_reductions(uintptr_t* chain);

/// The chain in force in the current task: of its innermost group that has one, or of the parallel
/// construct.
uintptr_t* reductions_in_force(const Worker& worker);
/// task_reduction on the innermost taskgroup of the current task.
void register_group_reductions(Worker& worker, uintptr_t* chain);

/// in_reduction: replaces each of `count` addresses, of an original or of any worker's copy, by
/// that of the worker's own copy. For the first `originals` of them the originals' addresses go
/// behind.
void remap_reductions(const Worker& worker, std::size_t count, std::size_t originals,
                      void** addresses);

} // namespace xomp
