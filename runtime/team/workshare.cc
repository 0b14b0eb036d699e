// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The life of a slot in the ring: free -> being made -> open -> free for the construct kRunAhead
// later.
#include "team/workshare.h"

#include <bit>

#include "conf/settings.h"
#include "sys/memory.h"
#include "team/barrier.h"
#include "team/doacross.h"

namespace xomp {
namespace {

/// The low bits of `WorkShare::stage`; above them the number of the construct that the slot is for.
enum Phase : uint32_t { kFree = 0, kMaking = 1, kOpen = 2, kPhaseBits = 2 };

constexpr uint32_t stage_of(uint32_t construct, Phase phase) {
  return (construct << kPhaseBits) | phase;
}

/// Made by the first member that needs it: many programs have no construct that does.
WorkShares& shares_of(Team& team) {
  WorkShares* shares = team.shares.load(std::memory_order_acquire);
  if (shares) [[likely]]
    return *shares;
  auto* made = sys::create<WorkShares>();
  for (uint32_t i = 0; i < kRunAhead; ++i)
    made->slots[i].stage.store(stage_of(i, kFree), std::memory_order_relaxed);
  if (team.shares.compare_exchange_strong(shares, made, std::memory_order_acq_rel,
                                          std::memory_order_acquire))
    return *made;
  sys::destroy(made);
  return *shares;
}

void mark_used(WorkShares& shares, uint32_t slot) {
  uint32_t bit = uint32_t{1} << slot;
  // Relaxed: read by the master after the region's join.
  if (!(shares.used.load(std::memory_order_relaxed) & bit))
    shares.used.fetch_or(bit, std::memory_order_relaxed);
}

void release_contents(WorkShare& share) {
  if (share.doacross)
    free_doacross(share.doacross);
  if (share.memory)
    sys::release(share.memory);
  share.doacross = nullptr;
  share.memory = nullptr;
  share.reductions = nullptr;
}

/// Nobody is inside any more.
void recycle(WorkShare& share) {
  release_contents(share);
  share.left.store(0, std::memory_order_relaxed);
  uint32_t construct = share.stage.load(std::memory_order_relaxed) >> kPhaseBits;
  share.stage.store(stage_of(construct + kRunAhead, kFree), std::memory_order_release);
  share.events.notify();
}

void make_empty(WorkShare& share) {
  share.trips = 0;
  share.dispense = Dispense::kStatic;
  share.ordered = false;
  share.cancellable = settings.cancellation;
  share.cancelled.store(false, std::memory_order_relaxed);
}

/// The slot is still in use by an earlier construct, or being made by another member.
[[gnu::noinline]] void await_stage(Member& member, WorkShare& share, uint32_t construct) {
  share.events.await(
      [&] {
        uint32_t stage = share.stage.load(std::memory_order_acquire);
        return stage == stage_of(construct, kFree) || stage == stage_of(construct, kOpen);
      },
      member.tasks->spin_count.load(std::memory_order_relaxed));
}

} // namespace

void workshare_region_start(Team& team) {
  team.prepared = false;
  team.reductions = nullptr;
  team.workshare_cancelled.store(0, std::memory_order_relaxed);
  team.single_ticket.store(0, std::memory_order_relaxed);
  WorkShares* shares = team.shares.load(std::memory_order_relaxed);
  if (!shares)
    return;
  uint32_t used = shares->used.load(std::memory_order_relaxed);
  for (; used; used &= used - 1) {
    auto slot = static_cast<uint32_t>(std::countr_zero(used));
    WorkShare& share = shares->slots[slot];
    release_contents(share);
    share.left.store(0, std::memory_order_relaxed);
    share.stage.store(stage_of(slot, kFree), std::memory_order_relaxed);
  }
  shares->used.store(0, std::memory_order_relaxed);
}

void workshare_member_start(Member& member) {
  Team& team = *member.team;
  member.singles = 0;
  member.constructs = team.prepared;
  member.workshare =
      team.prepared ? &team.shares.load(std::memory_order_relaxed)->slots[0] : nullptr;
  member.chunks = {};
  member.phase = 1;
}

void workshare_team_end(Team& team) {
  WorkShares* shares = team.shares.load(std::memory_order_relaxed);
  if (!shares)
    return;
  for (WorkShare& share : shares->slots)
    release_contents(share);
  sys::destroy(shares);
  team.shares.store(nullptr, std::memory_order_relaxed);
}

void workshare_wake(Team& team) {
  WorkShares* shares = team.shares.load(std::memory_order_acquire);
  if (!shares)
    return;
  for (WorkShare& share : shares->slots)
    share.events.notify();
}

bool arrive_at_construct(Member& member) {
  // A scope, and a static loop with nowait, have no end call.
  if (member.workshare)
    leave_construct(member);
  WorkShares& shares = shares_of(*member.team);
  uint32_t construct = member.constructs++;
  WorkShare& share = shares.slots[construct % kRunAhead];
  member.workshare = &share;
  member.chunks = {};
  for (;;) {
    uint32_t stage = share.stage.load(std::memory_order_acquire);
    if (stage == stage_of(construct, kOpen))
      return false;
    // Acquire: what the slot's last users did to it comes before what this member does.
    if (stage == stage_of(construct, kFree) &&
        share.stage.compare_exchange_strong(stage, stage_of(construct, kMaking),
                                            std::memory_order_acquire, std::memory_order_relaxed)) {
      mark_used(shares, construct % kRunAhead);
      make_empty(share);
      return true;
    }
    await_stage(member, share, construct);
  }
}

void open_construct(Member& member) {
  WorkShare& share = *member.workshare;
  share.stage.store(stage_of(member.constructs - 1, kOpen), std::memory_order_release);
  if (member.count > 1)
    share.events.notify();
}

WorkShare& prepare_construct(Team& team) {
  WorkShares& shares = shares_of(team);
  WorkShare& share = shares.slots[0];
  mark_used(shares, 0);
  make_empty(share);
  // Relaxed: starting the members publishes it.
  share.stage.store(stage_of(0, kOpen), std::memory_order_relaxed);
  team.prepared = true;
  return share;
}

void leave_construct(Member& member) {
  WorkShare* share = member.workshare;
  if (!share)
    return;
  member.workshare = nullptr;
  // Acquire and release: the last to leave frees what the others used.
  auto before = share->left.fetch_add(1, std::memory_order_acq_rel);
  if (before + 1 == static_cast<uint32_t>(member.count))
    recycle(*share);
}

void end_construct(Member& member) {
  WorkShare* share = member.workshare;
  member.workshare = nullptr;
  barrier(member);
  // Behind the barrier nobody uses it; the tree releases member 0 first.
  if (member.id == 0 && share)
    recycle(*share);
}

bool end_construct_cancel(Member& member) {
  WorkShare* share = member.workshare;
  member.workshare = nullptr;
  if (barrier_cancel(member))
    return true; // the next region finds the slot by its bit in `used`
  if (member.id == 0 && share)
    recycle(*share);
  return false;
}

} // namespace xomp
