// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When the members of a dynamic loop take turns at its counter (worksharing/README.md).
#pragma once
#include <algorithm>
#include <cstdint>

#include "sys/ticks.h"

namespace xomp {

/// About what the counter costs a member that has its line.
inline constexpr int64_t kUncontendedTicks = sys::kTicksOfMicrosecond / 100;

/// Whether one member alone, which never waits for the counter's line, would get as many chunks as
/// all get together: in `elapsed` ticks this one got `own` chunks, all of them `all`, and for its
/// last chunk it waited `waited` ticks.
inline bool slower_together(uint32_t own, uint64_t all, int64_t elapsed, int64_t waited) {
  if (all <= own + own / 4)
    return false; // hardly anybody else is there
  int64_t alone = std::max(elapsed / own - waited, int64_t{0}) + kUncontendedTicks;
  // By an eighth; divided, as a member that comes late has seen any number of chunks go.
  return elapsed > 0 && all < static_cast<uint64_t>((elapsed - elapsed / 8) / alone);
}

} // namespace xomp
