// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "team/barrier.h"
#include "sys/assert.h"
#include "sys/delay.h"

#include <utility>

#include "task/activity.h"
#include "task/children.h"
#include "task/full_frame.h"
#include "task/pause_policy.h"
#include "task/wait_loop.h"
#include "team/barrier_kinds.h"
#include "team/constructs.h"
#include "team/tracing.h"

namespace xomp {
namespace {

/// Runs any task of the team until `done`.
template <class Spinning = SpinPolicy, class Done> void help_until(Member& member, Done done) {
  XOMP_ASSERT(self == &member);
  if (has_own(member))
    run_in_order(member);
  Search search{{Scope::kAnything}};
  wait_until<Spinning>(member, search, done);
}

/// Comes to the team's barrier inside the region, or to the one at its end, and calls `wait` with
/// the poll.
template <class Wait>
[[gnu::always_inline]] inline void at_barrier(Member& member, NodeField node, Wait wait) {
  XOMP_ASSERT(self == &member && member.count > 1);
  ++(member.*node).round;
  XOMP_ASSERT(!member.settled_in);
  if (settings.has_central_barrier())
    return wait([&] { return central_poll(member, node); });
  if (member.team->flat) {
    member.had_task = false;
    wait([&] { return flat_poll(member, node); });
    member.settled_in = nullptr;
    return;
  }
  if (member.count == 2 && all_wait(node))
    return wait([&] { return pair_poll(member); });
  wait([&] { return tree_poll(member, node); });
}

template <class Stop> [[gnu::noinline]] void wait_inner(Member& member, Stop stop) {
  Activity here(member, ActivityKind::kBarrier);
  at_barrier(member, &Member::inner,
             [&](auto over) { help_until(member, [&] { return over() || stop(); }); });
}

// Apart, as `wait_inner`: a barrier in a team of one that has no tasks needs none of their
// registers.
[[gnu::noinline]] void wait_for_own_tasks(Member& member) {
  Activity here(member, ActivityKind::kBarrier);
  help_until(member, [&] { return settled(member); });
}

/// `settled` in a team of one, from which nobody steals, as far as it can be told without a look at
/// any full frame. Most barriers there come to no more than this.
[[gnu::always_inline]] inline bool has_no_tasks(const Member& member) {
  return !has_own(member) && !member.ready_successors && !current_full_frame(member) &&
         !member.ended_with_running;
}

[[gnu::always_inline]] inline void wait_alone(Member& member) {
  if (!has_no_tasks(member)) [[unlikely]]
    wait_for_own_tasks(member);
}

[[gnu::noinline]] bool barrier_or_cancelled(Member& member) {
  Team& team = *member.team;
  auto cancelled = [&] { return team.cancelled.load(std::memory_order_acquire); };
  if (member.copyprivate == Copyprivate::kReads)
    end_copying(member);
  if (!cancelled()) {
    ++member.phase;
    if (member.count == 1)
      wait_alone(member);
    else
      wait_inner(member, cancelled);
    if (!cancelled())
      return false;
    // This barrier may have been left in the middle, with tasks unfinished: the join must look
    // again.
    member.stack.make_dirty();
  }
  if (member.copyprivate == Copyprivate::kLends)
    help_until(member, [&] { return nobody_copies(team); });
  member.copyprivate = Copyprivate::kNeither;
  return true;
}

} // namespace

bool settled(Member& member) {
  // Acquire: what thieves did with what they took.
  if (has_own(member) || member.ready_successors ||
      member.stack.guests.load(std::memory_order_acquire) != 0)
    return false;
  FullFrame* full_frame = current_full_frame(member);
  if (full_frame && !drain_children(member, *full_frame))
    return false;
  return drain_ended(member);
}

void reset(Member& member, NodeField node) {
  BarrierNode& mine = member.*node;
  for (auto& report : mine.reports)
    report.store(0, std::memory_order_relaxed);
  mine.release.store(0, std::memory_order_relaxed);
  mine.round = 0;
  if (member.id != 0)
    return;
  SharedBarrier& shared = shared_of(member, node);
  shared.arrived.store(0, std::memory_order_relaxed);
  shared.over.store(0, std::memory_order_relaxed);
}

bool was_dirty(Member& member) {
  // Relaxed: `settled` has acquired what thieves did, and none comes before it creates something.
  std::atomic<bool>& dirty = member.stack.dirty;
  bool busy = dirty.load(std::memory_order_relaxed);
  if (busy)
    dirty.store(false, std::memory_order_relaxed);
  return busy;
}

bool special_barrier(Member& member, const void* codeptr, uint8_t flags) {
  if (member.track)
    trace::work_ends(*member.track, member.work);
  trace::Waiting traced(member.track, trace::Kind::kBarrier, codeptr, region_id(member), flags);
  return settings.cancellation ? barrier_or_cancelled(member) : plain_barrier(member);
}

bool plain_barrier(Member& member) {
  XOMP_ASSERT(!settings.cancellation);
  if (member.count == 1)
    wait_alone(member);
  else
    wait_inner(member, [] { return false; });
  return false;
}

void join(Member& member) {
  XOMP_ASSERT(member.id == 0 && &member == member.team->members[0]);
  if (member.count == 1)
    return wait_alone(member);
  Activity here(member, ActivityKind::kJoin);
  at_barrier(member, &Member::join, [&](auto over) { help_until(member, over); });
}

namespace {

/// Arrives, and waits until the member is called to the next region.
void arrive_and_wait(Member& member) {
  XOMP_ASSERT(member.id != 0);
  Activity waits(member, ActivityKind::kWaitForRegion);
  // Another region may have another kind of barrier before this member is called: called, it no
  // longer polls.
  at_barrier(member, &Member::join, [&](auto over) {
    help_until<PausePolicy>(member, [&] { return is_called(member) || (over(), false); });
  });
}

[[gnu::noinline]] void wait_for_region_traced(Member& member) {
  trace_implicit_ends(member);
  {
    trace::Waiting traced(member.track, trace::Kind::kBarrier, region_codeptr(member),
                          region_id(member), trace::kBarrierFlagJoin, &member.team->trace.joined);
    arrive_and_wait(member);
  }
  trace::implicit_left(*member.track, member.trace);
}

} // namespace

void wait_for_region(Member& member) {
  if (member.track) [[unlikely]]
    return wait_for_region_traced(member);
  arrive_and_wait(member);
}

} // namespace xomp
