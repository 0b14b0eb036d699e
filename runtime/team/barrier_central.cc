// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The centralised barrier (paper 1, section III.A): it ends when every member has arrived and the
// team's atomic count of unfinished tasks is 0. The counters only grow, so nothing has to be reset
// between barriers: generation g ends when `arrived` is (g + 1) * count.
#include "sys/assert.h"
#include "sys/delay.h"
#include "task/overflow.h"
#include "team/barrier_kinds.h"

namespace xomp {

void central_enter(Member& member, SharedBarrier& shared) {
  // The generation cannot move on before this member has arrived.
  member.wave = shared.wave.load(std::memory_order_relaxed);
  sys::delay();
  // Acquire-release: whoever sees the full count sees what every member did before.
  shared.arrived.fetch_add(1, std::memory_order_acq_rel);
}

namespace {
bool complete(const Member& member, const SharedBarrier& shared) {
  XOMP_ASSERT(settings.has_central_barrier());
  XOMP_ASSERT(member.team->outstanding.load(std::memory_order_relaxed) >= 0);
  uint64_t full = (member.wave + 1) * static_cast<uint64_t>(member.count);
  return shared.arrived.load(std::memory_order_acquire) == full &&
         // Acquire pairs with the decrement in `complete` of the task layer. All members have
         // arrived, so only running tasks create tasks, and those are counted: 0 is final.
         member.team->outstanding.load(std::memory_order_acquire) == 0;
}
} // namespace

bool central_poll(Member& member, SharedBarrier& shared, bool all_wait) {
  uint64_t generation = member.wave;
  if (shared.wave.load(std::memory_order_acquire) != generation)
    return true;
  if (!complete(member, shared))
    return false;
  if (shared.wave.compare_exchange_strong(generation, generation + 1, std::memory_order_acq_rel,
                                          std::memory_order_acquire) &&
      all_wait)
    ring_all(member, &member);
  return true;
}

void central_drained(TaskTeam& team) { static_cast<Team&>(team).members[0]->bell.ring(); }

} // namespace xomp
