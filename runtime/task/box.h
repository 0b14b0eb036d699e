// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arguments that have no place in a slot of the stack: they are large, or the program copies them,
// so that only it could move them. They lie in a block of their creator's heap, and the slot has a
// box that names the block: it may be moved, as thieves do.
#pragma once
#include "task/create.h"

namespace xomp {

/// In the arguments of a slot, whose body is `run`.
struct Box {
  void (*body)(void*);
  void* block;
  Worker* owner; ///< of the block
  std::size_t size;

  /// Calls the body and frees the block.
  static void run(void* box);
};

/// Whether a block can hold so many bytes of arguments.
inline bool fits_in_box(std::size_t size, std::size_t align) {
  return size <= Heap::kLargest && align <= Heap::kAlign;
}

/// Copies the arguments to a new block. The program's copy function may do anything, such as create
/// tasks.
Box pack(Worker& worker, const TaskSpec& spec);

} // namespace xomp
