// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sections: a loop over the sections' numbers, handed out one at a time. The construct's ends are
// those of worksharing/workshare.h.
#pragma once
#include "worksharing/loop.h"

namespace xomp {

inline LoopSpec sections_spec(unsigned count) {
  return {.range = range_up(1, uint64_t{count} + 1, 1, count == 0),
          .schedule = {kScheduleDynamic, 1},
          .type = LoopType::kSections};
}

/// The number of the section that the member executes next, from 1 on; 0 when none is left.
template <class Known = trace::NothingKnown>
[[gnu::always_inline]] inline unsigned next_section(Member& member, Known known = {}) {
  unsigned long section, past;
  return next_bounds(member, &section, &past, known) ? static_cast<unsigned>(section) : 0;
}

} // namespace xomp
