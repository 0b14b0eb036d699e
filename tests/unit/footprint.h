// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "task/heap.h"

namespace xomp {

/// Bytes that a heap has taken from the system and not returned.
inline std::size_t footprint(const Heap& heap) { return heap.slab_bytes + heap.large_bytes; }

} // namespace xomp
