// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "worksharing/single.h"

#include "sys/assert.h"
#include "task/overflow.h"
#include "team/barrier.h"
#include "team/constructs.h"

namespace xomp {

namespace {

bool takes_after_look(Member& member, uint32_t mine) {
  if (is_known_taken(member, mine))
    return false;
  // Relaxed: as in `takes_single`.
  uint32_t next = member.team->single_ticket.load(std::memory_order_relaxed);
  if (next == mine)
    return takes_single(member, mine);
  member.singles_taken = next;
  return false;
}

} // namespace

bool single_with_look(Member& member, uint32_t mine) { return takes_after_look(member, mine); }

bool single_traced(Member& member, uint32_t mine, const void* codeptr) {
  bool executes = takes_after_look(member, mine);
  trace::single_met(*member.track, member.work, executes, codeptr);
  return executes;
}

void* await_copy(Member& member, const void* codeptr) {
  Team& team = *member.team;
  member.copyprivate = Copyprivate::kNeither; // two barriers lie between, if it ever lent any
  // Acquire-release: see `nobody_copies`.
  if (settings.cancellation)
    team.copying.fetch_add(1, std::memory_order_acq_rel);
  bool cancelled = barrier_at(member, codeptr);
  if (settings.cancellation)
    member.copyprivate = Copyprivate::kReads;
  if (!cancelled)
    return team.copyprivate_data;
  end_copying(member);
  return nullptr;
}

void single_copy_end(Member& member, void* data, const void* codeptr) {
  Team& team = *member.team;
  // In a cancelled region others may be here as well, and nobody copies.
  if (member.count == 1 || team.cancelled.load(std::memory_order_relaxed))
    return;
  // The barrier publishes it; the compiler puts another one behind the copies, which protects it.
  // Cancellation takes that protection away: then the lender waits for those that copy.
  team.copyprivate_data = data;
  member.copyprivate = Copyprivate::kLends;
  barrier_at(member, codeptr);
}

void end_copying(Member& member) {
  XOMP_ASSERT(member.team->copying.load(std::memory_order_relaxed) > 0);
  member.copyprivate = Copyprivate::kNeither;
  // Release: the reads come before the end of what was read.
  if (member.team->copying.fetch_sub(1, std::memory_order_release) == 1)
    ring_others(member);
}

bool nobody_copies(Team& team) {
  // A read-modify-write: a member that comes to copy later takes the count from here, and so sees
  // the cancellation that the caller has seen.
  return team.copying.fetch_add(0, std::memory_order_acq_rel) == 0;
}

} // namespace xomp
