// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tree barrier of a team of two: the tree's rule, waves until a clean one, but neither member
// is the root. Each writes its report, which the other one polls, and reads the other's, so that a
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
    if (!mine.reported()) {
      if (!settled(member))
        return false;
      sys::delay();
      // The other one may still have to read the report before, which stays beside this one.
      mine.report(!was_dirty(member));
      other.bell.ring();
    }
    sys::delay();
    uint64_t report = other.inner.report_of(mine.round);
    if (report == 0)
      return false;
    if (mine.reported() & report & 1)
      return true;
    ++mine.round;
  }
}

} // namespace xomp
