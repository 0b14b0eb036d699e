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
// | 7 .. | three for each item: its original, the offset of its copy, the program's own |
#pragma once
#include <atomic>

#include "task/worker.h"

namespace xomp {

/// Allocates zeroed copies for `workers` workers. `enclosing` (may be null) is searched after the
/// chain.
void register_reductions(uintptr_t* chain, uintptr_t* enclosing, int workers);
/// Copies that the members of a team share. Of those that hold them, the last one frees them: after
/// cancellation members leave a construct at any time.
struct SharedCopies {
  std::atomic<uint32_t> holders{1};
  uint32_t count = 0; ///< blocks of the chain
  uintptr_t* addresses() { return reinterpret_cast<uintptr_t*>(this + 1); }
};
/// For a registered chain, held by the caller.
SharedCopies* share_copies(const uintptr_t* chain);
/// As `register_reductions`, for a member that comes later.
void adopt_copies(uintptr_t* chain, uintptr_t* enclosing, int workers, SharedCopies& shared);
void hold_copies(SharedCopies& shared);
void drop_copies(SharedCopies* shared);
/// Frees the copies.
void unregister_reductions(uintptr_t* chain);

/// The chain in force in the current task: of its innermost group that has one, or of the parallel
/// construct.
uintptr_t* reductions_in_force(const Worker& worker);
/// task_reduction on the innermost taskgroup of the current task.
void register_group_reductions(Worker& worker, uintptr_t* chain);

/// in_reduction of one list item, of which `address` is the original or any worker's copy.
struct OwnCopy {
  const uintptr_t* item; ///< the three words in its block
  void* address;         ///< of the worker's own copy
};
OwnCopy own_copy(const Worker& worker, const void* address);
/// That of worker number `id`, of the item at `index` in `block`.
void* copy_of(const uintptr_t* block, std::size_t index, int id);

/// in_reduction: replaces each of `count` addresses, of an original or of any worker's copy, by
/// that of the worker's own copy. For the first `originals` of them the originals' addresses go
/// behind.
void remap_reductions(const Worker& worker, std::size_t count, std::size_t originals,
                      void** addresses);

} // namespace xomp
