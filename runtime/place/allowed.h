// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The processors that the calling thread may use.
#pragma once
#include "place/place_table.h"

namespace xomp {

/// A row has at least so many words, so that a list may be written for a larger machine.
inline constexpr int kMinWords = 1024 / 64;

/// A table with one row, which is not empty; release it with `sys::destroy`. A sandbox may refuse
/// the system call; then what the kernel writes of the thread in /proc counts, and at last which
/// processors there are.
PlaceTable* read_allowed();

/// How many these are; at least 1.
int usable_processors();

/// The affinity mask into a row that is large enough; false: the kernel does not tell.
bool read_mask(Processors mask);

} // namespace xomp
