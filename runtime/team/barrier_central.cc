// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The centralised barrier (paper 1, section III.A): it ends when every member has arrived and the
// team's atomic count of unfinished tasks is 0. The counters only grow, so nothing has to be reset
// between barriers: round r ends when `arrived` is r * count.
#include "sys/assert.h"
#include "sys/delay.h"
#include "task/overflow.h"
#include "team/barrier_kinds.h"

namespace xomp {
namespace {

void arrive(Member& member, NodeField node) {
  (member.*node).report(true);
  sys::delay();
  // Acquire-release: whoever sees the full count sees what every member did before.
  shared_of(member, node).arrived.fetch_add(1, std::memory_order_acq_rel);
  // The member that completes the count may find nobody awake.
  if (member.id != 0)
    member.team->members[0]->bell.ring();
}

bool complete(const Member& member, const SharedBarrier& shared, uint64_t round) {
  XOMP_ASSERT(settings.has_central_barrier());
  XOMP_ASSERT(member.team->outstanding.load(std::memory_order_relaxed) >= 0);
  uint64_t full = round * static_cast<uint64_t>(member.count);
  return shared.arrived.load(std::memory_order_acquire) == full &&
         // Acquire pairs with the decrement in `complete` of the task layer. All members have
         // arrived, so only running tasks create tasks, and those are counted: 0 is final.
         member.team->outstanding.load(std::memory_order_acquire) == 0;
}

} // namespace

bool central_poll(Member& member, NodeField node) {
  SharedBarrier& shared = shared_of(member, node);
  uint64_t round = (member.*node).round;
  if (!(member.*node).reported())
    arrive(member, node);
  if (member.id != 0 && !all_wait(node))
    return false;
  uint64_t over = shared.over.load(std::memory_order_acquire);
  XOMP_ASSERT(round - over <= 1);
  if (over == round)
    return true;
  if (!complete(member, shared, round))
    return false;
  // Whoever finds it over first wakes the others.
  if (shared.over.compare_exchange_strong(over, round, std::memory_order_acq_rel,
                                          std::memory_order_acquire) &&
      all_wait(node))
    ring_others(member);
  return true;
}

void central_drained(TaskTeam& team) { static_cast<Team&>(team).members[0]->bell.ring(); }

} // namespace xomp
