// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tree barrier of a team of two: the tree's rule, waves until a clean one, but neither member
// is the root. Each writes its report where the other one polls and reads the other's, so that a
// barrier takes one transfer of a line each way at the same time; in the tree the release follows
// the report. Rule, races and model: team/README.md.
#include "sys/assert.h"
#include "sys/delay.h"
#include "team/barrier_kinds.h"

namespace xomp {

bool pair_poll(Member& member) {
  XOMP_ASSERT(member.count == 2 && !member.team->flat);
  BarrierNode& mine = member.inner;
  Member& other = *member.team->members[1 - member.id];
  // Again after a wave that was not clean: the other one may have reported to the next already.
  for (;;) {
    if (member.reported == Report::kNotYet) {
      if (!settled(member))
        return false;
      sys::delay();
      member.reported = report_of(!was_busy(member));
      bool clean = member.reported == Report::kClean;
      // Release: the other one sees everything that was done here. It may still have to read the
      // report before, which stays beside this one.
      other.inner.from_child[mine.round & 1].store(mine.round << 1 | (clean ? 1 : 0),
                                                   std::memory_order_release);
      other.bell.ring();
    }
    sys::delay();
    uint64_t report = mine.from_child[mine.round & 1].load(std::memory_order_acquire);
    XOMP_ASSERT(report >> 1 <=
                mine.round); // the other is at most one wave ahead, in the other word
    if (report >> 1 != mine.round)
      return false;
    if (member.reported == Report::kClean && (report & 1))
      return true;
    ++mine.round;
    member.reported = Report::kNotYet;
  }
}

} // namespace xomp
