// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The barrier of a crowded team whose threads yield: one count of the members that are settled, out
// of which each takes itself when it begins a task of another one's (`make_busy`). In a tree a
// member's report has to wait for its children's turns on a processor, and the release for the
// root's, and a wave in which anybody was busy is repeated; here each member needs one turn after
// its last task, and whoever is counted last goes on without giving up its own.
// Rule, races and model: team/README.md.
#include "sys/assert.h"
#include "sys/delay.h"
#include "team/barrier_kinds.h"

namespace xomp {
namespace {

/// The member counts as settled. True: all do, and the barrier is over.
bool count_settled(Member& member, NodeField node) {
  SharedBarrier& shared = shared_of(member, node);
  member.settled_in = &shared;
  member.settled_round = (member.*node).round;
  sys::delay();
  if (!shared.count_in(member.settled_round, member.count))
    return false;
  // One for all bells; see Bell::ring.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (all_wait(node))
    ring_others_after_fence(member);
  else if (member.id != 0)
    member.team->members[0]->bell.ring_after_fence();
  return true;
}

} // namespace

bool flat_poll(Member& member, NodeField node) {
  uint64_t over = shared_of(member, node).over.load(std::memory_order_acquire);
  uint64_t round = (member.*node).round;
  XOMP_ASSERT(over <= round); // less by more where the last ones were of other kinds
  if (over == round)
    return true;
  // From one task to the next it stays out.
  return !member.had_task && !member.settled_in && settled(member) && count_settled(member, node);
}

} // namespace xomp
