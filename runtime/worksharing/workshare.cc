// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The life of a slot: free -> claimed -> open; of a segment: free -> taken -> free when all members
// have gone on, and so are its slots.
#include "worksharing/workshare.h"

#include <bit>
#include <utility>

#include "sys/assert.h"
#include "sys/clock.h"
#include "sys/delay.h"
#include "sys/memory.h"
#include "sys/short_wait.h"
#include "task/activity.h"
#include "task/reduction.h"
#include "task/spin_policy.h"
#include "team/barrier.h"
#include "team/constructs.h"
#include "worksharing/doacross.h"

namespace xomp {
namespace {

static_assert((kSegmentSlots & (kSegmentSlots - 1)) == 0 && kSegmentSlots <= 32);

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

bool has_contents(const WorkShare& share) {
  return share.doacross || share.memory || share.reductions;
}

[[gnu::noinline]] void release_contents(WorkShare& share) {
  if (share.doacross)
    free_doacross(share.doacross);
  if (share.memory)
    sys::release(share.memory);
  if (share.reductions)
    drop_copies(share.reductions);
  share.doacross = nullptr;
  share.memory = nullptr;
  share.reductions = nullptr;
  share.left.store(0, std::memory_order_relaxed); // of the next one's; published with the slot
}

void make_empty(WorkShare& share) {
  share.trips = 0;
  share.dispense = Dispense::kStatic;
  share.special = 0;
  share.divides = false;
  share.cancelled.store(false, std::memory_order_relaxed);
}

/// Free -> claimed, for one of the members that come to it. No word says which construct has the
/// slot: it is the only one as long as the segment is taken. Relaxed: coming to the segment brought
/// what the slot's last users did to it.
bool claim(const Member& member, WorkShareSegment& segment, uint32_t slot) {
  uint32_t bit = uint32_t{1} << slot, before = segment.claimed.load(std::memory_order_relaxed);
  if (member.count == 1) {
    segment.claimed.store(before | bit, std::memory_order_relaxed);
    return true;
  }
  return !(before & bit) && !(segment.claimed.fetch_or(bit, std::memory_order_relaxed) & bit);
}

/// Another member makes the slot, and does not stop in the middle.
[[gnu::noinline]] void await_open(Member& member, const WorkShare& share) {
  Activity here(member, ActivityKind::kConstruct);
  for (sys::ShortWait wait; !share.open.load(std::memory_order_acquire);)
    wait.once();
}

/// A member may be ahead as far as it likes, because the others may come only after something that
/// it does later. But mostly they have just lost their processors, and it does not pay to touch new
/// memory while they have: each time that the number of segments has doubled they are given time.
bool throttles(uint32_t segments) { return segments > 1 && std::has_single_bit(segments); }

/// Takes the segment behind `last`, or a new one, for constructs that no member has come to; one
/// member's choice holds for all.
WorkShareSegment* take_segment(WorkShares& shares, WorkShareSegment& last, uint32_t number) {
  MutexGuard guard(shares.lock);
  WorkShareSegment* next = last.next.load(std::memory_order_relaxed);
  // Acquire: see `recycle_segment`.
  uint32_t has = next->number.load(std::memory_order_acquire);
  if (has == number)
    return next;
  if (has == 0) {
    next->claimed.store(0, std::memory_order_relaxed);
    // Release: whoever finds it finds its slots free.
    next->number.store(number, std::memory_order_release);
    return next;
  }
  // All are taken, from the slowest member's on.
  auto* made = sys::create<WorkShareSegment>();
  made->number.store(number, std::memory_order_relaxed);
  made->next.store(next, std::memory_order_relaxed);
  sys::delay();
  last.next.store(made, std::memory_order_release); // nobody else has the lock
  return made;
}

/// How many constructs the team's members have come to, all together.
uint32_t passed_by_all(const Member& member) {
  uint32_t sum = 0;
  for (int i = 0; i < member.count; ++i)
    sum += member.team->members[i]->constructs.load(std::memory_order_relaxed);
  return sum;
}

/// Until there is a segment to go on to, or no member has come to a construct for some time. A
/// thread that is waiting here is ahead of all others, so these cannot go on for ever without it.
[[gnu::noinline]] void give_time(Member& member, WorkShares& shares, const WorkShareSegment& last,
                                 uint32_t number) {
  constexpr double kStandstill = 0.01; // seconds
  constexpr int64_t kNap = 1'000'000;  // nanoseconds
  auto ready = [&] {
    uint32_t has =
        last.next.load(std::memory_order_acquire)->number.load(std::memory_order_relaxed);
    return has == 0 || has == number || member.task_team->cancelled.load(std::memory_order_relaxed);
  };
  Activity here(member, ActivityKind::kConstruct);
  // Two segments behind is not soon: most likely that member has lost its processor.
  SpinPolicy spin_policy(member, member.construct_spin_history, 100);
  double since = sys::seconds();
  uint32_t before = passed_by_all(member);
  while (!ready()) {
    if (spin_policy.spin())
      continue;
    spin_policy.sleeps();
    shares.events.nap(ready, kNap);
    spin_policy.wakes();
    uint32_t passed = passed_by_all(member);
    double now = sys::seconds();
    if (passed != before)
      since = now;
    else if (now - since > kStandstill)
      return;
    before = passed;
  }
}

/// The segment of that number, which comes behind `last`. Null: the region is cancelled, and there
/// is none yet.
WorkShareSegment* following(Member& member, WorkShares& shares, WorkShareSegment& last,
                            uint32_t number) {
  WorkShareSegment* next = last.next.load(std::memory_order_acquire);
  // Acquire: its slots are free.
  uint32_t has = next->number.load(std::memory_order_acquire);
  if (has == number)
    return next;
  if (has != 0 && throttles(number - has))
    give_time(member, shares, last, number);
  if (member.task_team->cancelled.load(std::memory_order_relaxed))
    return nullptr;
  next = take_segment(shares, last, number);
  shares.events.notify();
  return next;
}

/// Nobody is inside any more. Relaxed, also what follows: who gives the segment back, or starts the
/// region, publishes it.
void close(WorkShare& share) { share.open.store(false, std::memory_order_relaxed); }

/// All members have gone on from it.
void recycle_segment(Member& member, WorkShares& shares, WorkShareSegment& segment) {
  // Cancellation may have left constructs in it half done. Relaxed: a thread that left one so saw
  // the cancellation, and has gone on since.
  if (member.task_team->cancelled.load(std::memory_order_relaxed))
    return;
  XOMP_ASSERT(segment.number.load(std::memory_order_relaxed) != 0); // in use
  for (WorkShare& share : segment.slots)
    close(share);
  segment.left.store(0, std::memory_order_relaxed);
  // Release: whoever takes it finds all as the members left it.
  segment.number.store(0, std::memory_order_release);
  shares.events.notify();
}

void reset(WorkShareSegment& segment) {
  uint32_t claimed = segment.claimed.load(std::memory_order_relaxed);
  for (; claimed; claimed &= claimed - 1) {
    WorkShare& share = segment.slots[std::countr_zero(claimed)];
    if (has_contents(share)) [[unlikely]] // cancellation left it half done
      release_contents(share);
    close(share);
  }
  segment.claimed.store(0, std::memory_order_relaxed);
  segment.left.store(0, std::memory_order_relaxed);
}

/// In a cancelled region other members may have left their constructs for the region's end, and
/// their segments do not come free. A thread that would need a new one makes its constructs for
/// itself alone, from then on, in a segment of its own; no work is handed out in them.
[[gnu::cold]] WorkShareSegment* segment_apart(Member& member) {
  if (!member.segment_apart)
    member.segment_apart = sys::create<WorkShareSegment>();
  reset(*member.segment_apart);
  return member.segment_apart;
}

/// To the segment in which the member's next construct is the first one.
[[gnu::noinline]] void enter_segment(Member& member) {
  WorkShares& shares = shares_of(*member.team);
  WorkShareSegment* before = member.segment;
  if (!before || before == member.segment_apart) {
    member.segment = before ? segment_apart(member) : &shares.first;
    return;
  }
  uint32_t construct = member.constructs.load(std::memory_order_relaxed);
  member.segment = following(member, shares, *before, construct / kSegmentSlots + 1);
  if (!member.segment) {
    member.segment = segment_apart(member);
    return;
  }
  sys::delay();
  // Acquire and release: the last one hands over what all did here.
  auto others = static_cast<uint32_t>(member.count - 1);
  uint32_t left = before->left.fetch_add(1, std::memory_order_acq_rel);
  XOMP_ASSERT(left <= others); // each once
  if (left == others)
    recycle_segment(member, shares, *before);
}

/// Whether the region's constructs needed more than the first segment. The second one is free again
/// only behind that.
bool went_beyond(const WorkShareSegment& first) {
  const WorkShareSegment* second = first.next.load(std::memory_order_relaxed);
  return first.number.load(std::memory_order_relaxed) != 1 ||
         second->number.load(std::memory_order_relaxed) > 1;
}

/// All but the first segment are free again; those that the region did not need, the last ones of
/// the ring, are given up, but one is kept.
[[gnu::noinline]] void reset_beyond(WorkShares& shares) {
  WorkShareSegment* last = &shares.first;
  WorkShareSegment* segment = last->next.load(std::memory_order_relaxed);
  last->number.store(1, std::memory_order_relaxed);
  while (segment != &shares.first) {
    WorkShareSegment* next = segment->next.load(std::memory_order_relaxed);
    if (segment->claimed.load(std::memory_order_relaxed) || last == &shares.first) {
      reset(*segment);
      segment->number.store(0, std::memory_order_relaxed);
      last->next.store(segment, std::memory_order_relaxed);
      last = segment;
    } else {
      sys::destroy(segment);
    }
    segment = next;
  }
  last->next.store(&shares.first, std::memory_order_relaxed);
}

} // namespace

void workshare_region_start(Team& team) {
  set_if_changed(team.prepared, false);
  team.reductions = nullptr;
  set_if_changed(team.workshare_cancelled, uint64_t{0});
  set_if_changed(team.single_ticket, 0u);
  WorkShares* shares = team.shares.load(std::memory_order_relaxed);
  if (!shares)
    return;
  reset(shares->first);
  if (went_beyond(shares->first))
    reset_beyond(*shares);
}

void workshare_member_start(Member& member) {
  Team& team = *member.team;
  member.singles = 0;
  member.singles_taken = 0;
  WorkShareSegment* segment =
      team.prepared ? &team.shares.load(std::memory_order_relaxed)->first : nullptr;
  member.constructs.store(team.prepared, std::memory_order_relaxed);
  member.segment = segment;
  member.workshare = segment ? &segment->slots[0] : nullptr;
  member.chunks.cut_short = false;
  if (segment)
    member.chunks.restart();
  member.phase = 1;
  member.copyprivate = Copyprivate::kNeither;
}

void workshare_team_end(Team& team) {
  for (int i = 0; i < team.capacity; ++i) {
    Member* member = team.members[i];
    if (!member || !member->segment_apart)
      continue;
    reset(*member->segment_apart);
    sys::destroy(member->segment_apart);
  }
  WorkShares* shares = team.shares.load(std::memory_order_relaxed);
  if (!shares)
    return;
  reset(shares->first); // the last region may have left constructs half done
  WorkShareSegment* segment = shares->first.next.load(std::memory_order_relaxed);
  while (segment != &shares->first) {
    WorkShareSegment* next = segment->next.load(std::memory_order_relaxed);
    reset(*segment);
    sys::destroy(segment);
    segment = next;
  }
  sys::destroy(shares);
  team.shares.store(nullptr, std::memory_order_relaxed);
}

void workshare_wake(Team& team) {
  WorkShares* shares = team.shares.load(std::memory_order_acquire);
  if (!shares)
    return;
  // The fences in these notifications order the cancellation before the looks at `next`: a
  // thread that sleeps in a segment that is not found here sees the cancellation first.
  shares->events.notify();
  WorkShareSegment* segment = &shares->first;
  do {
    for (WorkShare& share : segment->slots)
      share.events.notify();
    segment = segment->next.load(std::memory_order_acquire);
  } while (segment != &shares->first);
}

void workshare_after_fork(Team& team) {
  if (WorkShares* shares = team.shares.load(std::memory_order_relaxed))
    shares->lock.unlock();
}

void workshare_stand_in(Member& member) {
  if (arrive_at_construct(member))
    open_construct(member);
}

bool arrive_at_construct(Member& member) {
  // A scope, and a static loop with nowait, have no end call.
  leave_construct_if_any(member);
  uint32_t construct = member.constructs.load(std::memory_order_relaxed);
  uint32_t slot = construct % kSegmentSlots;
  if (slot == 0) [[unlikely]]
    enter_segment(member);
  // Relaxed: others only want to see that it moves (`give_time`).
  member.constructs.store(construct + 1, std::memory_order_relaxed);
  WorkShareSegment& segment = *member.segment;
  WorkShare& share = segment.slots[slot];
  member.workshare = &share;
  member.chunks.restart();
  if (share.open.load(std::memory_order_acquire))
    return false;
  if (claim(member, segment, slot)) {
    make_empty(share);
    return true;
  }
  await_open(member, share);
  return false;
}

void open_construct(Member& member) {
  XOMP_ASSERT(!member.workshare->open.load(std::memory_order_relaxed));
  member.workshare->open.store(true, std::memory_order_release);
}

WorkShare& prepare_construct(Team& team) {
  WorkShares& shares = shares_of(team);
  WorkShare& share = shares.first.slots[0];
  make_empty(share);
  // Relaxed, both: starting the members publishes it.
  shares.first.claimed.store(1, std::memory_order_relaxed);
  share.open.store(true, std::memory_order_relaxed);
  team.prepared = true;
  return share;
}

namespace {

[[gnu::noinline]] void leave_contents(const Member& member, WorkShare& share) {
  // Acquire and release: the last to leave frees what the others used.
  auto others = static_cast<uint32_t>(member.count - 1);
  uint32_t left = share.left.fetch_add(1, std::memory_order_acq_rel);
  XOMP_ASSERT(left <= others); // each once
  if (left == others)
    release_contents(share);
}

/// Behind the barrier nobody uses them.
void release_by_master(const Member& member, WorkShare& share) {
  if (member.id == 0 && has_contents(share)) [[unlikely]]
    release_contents(share);
}

} // namespace

// What is nothing but a loop is left without a word: the slot is free when the segment is.
void leave_construct(Member& member) {
  WorkShare& share = *std::exchange(member.workshare, nullptr);
  if (has_contents(share)) [[unlikely]]
    leave_contents(member, share);
}

bool end_plainly(Member& member) {
  WorkShare& share = *std::exchange(member.workshare, nullptr);
  plain_barrier(member);
  release_by_master(member, share);
  return false;
}

bool end_specially(Member& member, const void* codeptr) {
  WorkShare& share = *std::exchange(member.workshare, nullptr);
  if (special_barrier(member, codeptr, trace::kBarrierFlagImplicit))
    return true; // the next region finds the slot by its bit in `claimed`
  release_by_master(member, share);
  return false;
}

} // namespace xomp
