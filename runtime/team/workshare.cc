// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The life of a slot in the ring: free -> being made -> open -> free for the construct kRunAhead
// later.
#include "team/workshare.h"

#include <bit>

#include "conf/settings.h"
#include "sys/memory.h"
#include "task/patience.h"
#include "task/reduction.h"
#include "task/whereabouts.h"
#include "team/barrier.h"
#include "team/doacross.h"

namespace xomp {
namespace {

/// `WorkShare::stage`: the number of the slot's construct, with a phase instead of the low bits,
/// which say the slot. Numbers wrap around after 2^32 constructs.
enum Phase : uint32_t { kFree = 0, kMaking = 1, kOpen = 2 };
constexpr uint32_t kSlotBits = kRunAhead - 1;
static_assert((kRunAhead & kSlotBits) == 0 && kOpen <= kSlotBits);

constexpr uint32_t stage_of(uint32_t construct, Phase phase) {
  return (construct & ~kSlotBits) | phase;
}
WorkShare& slot_of(WorkShares& shares, uint32_t construct) {
  return shares.slots[construct % kRunAhead];
}

/// Made by the first member that needs it: many programs have no construct that does.
WorkShares& shares_of(Team& team) {
  WorkShares* shares = team.shares.load(std::memory_order_acquire);
  if (shares) [[likely]]
    return *shares;
  auto* made = sys::create<WorkShares>();
  if (team.shares.compare_exchange_strong(shares, made, std::memory_order_acq_rel,
                                          std::memory_order_acquire))
    return *made;
  sys::destroy(made);
  return *shares;
}

void mark_used(WorkShares& shares, uint32_t slot) {
  uint64_t bit = uint64_t{1} << slot;
  // Relaxed: read by the master after the region's join.
  if (!(shares.used.load(std::memory_order_relaxed) & bit))
    shares.used.fetch_or(bit, std::memory_order_relaxed);
}

void release_contents(WorkShare& share) {
  if (share.doacross)
    free_doacross(share.doacross);
  if (share.memory)
    sys::release(share.memory);
  if (share.reductions)
    drop_copies(share.reductions);
  share.doacross = nullptr;
  share.memory = nullptr;
  share.reductions = nullptr;
}

void free_contents(WorkShare& share) {
  release_contents(share);
  sys::release(share.ranges);
}

/// Nobody is inside any more.
void recycle(const Member& member, WorkShare& share) {
  release_contents(share);
  share.left.store(0, std::memory_order_relaxed);
  uint32_t construct = share.stage.load(std::memory_order_relaxed);
  share.stage.store(stage_of(construct + kRunAhead, kFree), std::memory_order_release);
  if (member.count > 1)
    share.events.notify();
}

void make_empty(WorkShare& share) {
  share.trips = 0;
  share.dispense = Dispense::kStatic;
  share.ordered = false;
  share.cancellable = settings.cancellation;
  share.cancelled.store(false, std::memory_order_relaxed);
}

/// Free -> being made, for one of the members that see it free.
bool claim(const Member& member, WorkShare& share, uint32_t construct) {
  if (member.count == 1)
    return true;
  uint32_t stage = stage_of(construct, kFree);
  // Acquire: what the slot's last users did to it comes before what this member does.
  return share.stage.compare_exchange_strong(stage, stage_of(construct, kMaking),
                                             std::memory_order_acquire, std::memory_order_relaxed);
}

/// In a cancelled region other members may have left their constructs for the region's end, and
/// will not free what they have not passed. Who still comes to a construct makes it for itself
/// alone; no work is handed out in it.
[[gnu::cold]] void make_alone(Member& member) {
  if (!member.alone)
    member.alone = sys::create<WorkShare>();
  WorkShare& share = *member.alone;
  release_contents(share);
  make_empty(share);
  share.left.store(static_cast<uint32_t>(member.count - 1), std::memory_order_relaxed);
  member.workshare = &share;
}

/// The slot is still in use by an earlier construct, or being made by another member. In the first
/// case the member waits until it has half a ring before it again: it would be back soon otherwise.
/// False: the region was cancelled, and the slot may never come free.
[[gnu::noinline]] bool await_stage(Member& member, WorkShares& shares, uint32_t construct) {
  auto reached = [](const WorkShare& slot, uint32_t stage) {
    // As a signed difference, because numbers wrap around.
    return static_cast<int32_t>(slot.stage.load(std::memory_order_acquire) - stage) >= 0;
  };
  Whereabouts here(member, Doing::kConstruct);
  WorkShare& share = slot_of(shares, construct);
  if (!reached(share, stage_of(construct, kFree))) {
    uint32_t half = construct - kRunAhead / 2;
    WorkShare& middle = slot_of(shares, half);
    auto cancelled = [&] { return member.tasks->cancelled.load(std::memory_order_relaxed); };
    // Half a ring behind is not soon: most likely that member has lost its processor.
    Patience patience(member, member.construct_habit, 100);
    middle.events.await(
        [&] { return reached(middle, stage_of(half + kRunAhead, kFree)) || cancelled(); },
        patience);
    if (!reached(share, stage_of(construct, kFree)))
      return !cancelled();
  }
  // Who makes a slot does not stop in the middle.
  Patience patience(member, member.construct_habit);
  share.events.await(
      [&] { return share.stage.load(std::memory_order_acquire) != stage_of(construct, kMaking); },
      patience);
  return true;
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
  uint64_t used = shares->used.load(std::memory_order_relaxed);
  for (; used; used &= used - 1) {
    WorkShare& share = shares->slots[std::countr_zero(used)];
    release_contents(share);
    share.left.store(0, std::memory_order_relaxed);
    share.stage.store(stage_of(0, kFree), std::memory_order_relaxed);
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
  member.lends = false;
}

void workshare_team_end(Team& team) {
  for (int i = 0; i < team.capacity; ++i) {
    Member* member = team.members[i];
    if (!member || !member->alone)
      continue;
    free_contents(*member->alone);
    sys::destroy(member->alone);
  }
  WorkShares* shares = team.shares.load(std::memory_order_relaxed);
  if (!shares)
    return;
  for (WorkShare& share : shares->slots)
    free_contents(share);
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
  WorkShare& share = slot_of(shares, construct);
  member.workshare = &share;
  member.chunks = {};
  for (;;) {
    uint32_t stage = share.stage.load(std::memory_order_acquire);
    if (stage == stage_of(construct, kOpen))
      return false;
    if (stage == stage_of(construct, kFree) && claim(member, share, construct)) {
      mark_used(shares, construct % kRunAhead);
      make_empty(share);
      return true;
    }
    if (!await_stage(member, shares, construct)) {
      make_alone(member);
      return true;
    }
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
  auto others = static_cast<uint32_t>(member.count - 1);
  if (others && share->left.fetch_add(1, std::memory_order_acq_rel) != others)
    return;
  recycle(member, *share);
}

bool end_construct(Member& member) {
  WorkShare* share = member.workshare;
  member.workshare = nullptr;
  if (barrier(member))
    return true; // the next region finds the slot by its bit in `used`
  // Behind the barrier nobody uses it; the tree releases member 0 first.
  if (member.id == 0 && share)
    recycle(member, *share);
  return false;
}

} // namespace xomp
