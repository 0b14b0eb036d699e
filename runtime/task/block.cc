// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "task/block.h"

namespace xomp {

void* FreeBlocks::take_slowly(std::size_t bytes) {
  bool is_small = bytes <= kSize;
  if (bytes > kMedium)
    return sys::allocate(bytes, kAlign);
  if (void* block = is_small ? small.refill(depots->small) : medium.refill(depots->medium))
    return block;
  return sys::allocate(is_small ? kSize : kMedium, kAlign);
}

void FreeBlocks::give_slowly(void* memory, std::size_t bytes) {
  if (bytes <= kSize && small.unload(depots->small))
    small.give(memory);
  else if (bytes > kSize && bytes <= kMedium && medium.unload(depots->medium))
    medium.give(memory);
  else
    sys::release(memory);
}

} // namespace xomp
