// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "worksharing/active_members.h"

#include "conf/settings.h"
#include "sys/assert.h"
#include "task/activity.h"

namespace xomp {

void limit_active(WorkShare& share, int members) {
  if (share.dispense == Dispense::kStatic || members <= settings.threads_at_once)
    return;
  share.special |= kLoopLimitsActive;
  share.active.store(0, std::memory_order_relaxed);
}

void become_active(Member& member, WorkShare& share) {
  constexpr int64_t kLongest = 1'000'000; // nanoseconds
  if (member.chunks.active) {
    if (share.active.load(std::memory_order_relaxed) <= settings.threads_at_once)
      return;
    // Another one came while a member slept that is awake again: one steps back.
    member.chunks.active = false;
    share.active.fetch_sub(1, std::memory_order_relaxed);
  }
  // Relaxed: a matter of pace; the chunks themselves are handed out as ever.
  auto room = [&] {
    return share.active.load(std::memory_order_relaxed) < settings.threads_at_once ||
           share.next.load(std::memory_order_relaxed) >= share.trips;
  };
  while (!room()) {
    Activity here(member, ActivityKind::kOrdered);
    uint64_t seen = share.next.load(std::memory_order_relaxed);
    share.admission.nap(room, kLongest);
    if (share.next.load(std::memory_order_relaxed) == seen)
      break; // nothing moves: what the others do may wait for this member's chunk
  }
  member.chunks.active = true;
  share.active.fetch_add(1, std::memory_order_relaxed);
}

void cease_active(Member& member, WorkShare& share) {
  XOMP_ASSERT(member.chunks.active && share.active.load(std::memory_order_relaxed) > 0);
  member.chunks.active = false;
  share.active.fetch_sub(1, std::memory_order_relaxed);
  share.admission.notify();
}

} // namespace xomp
