// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What policies tell listeners: tasks that went from one worker to another.
#pragma once
#include "events/events.h"
#include "sched/policy.h"

namespace xomp {

/// `own` has taken so many tasks of `other`, none where it expected some, or has given them to it
/// (`flags`: trace::kGivenAway).
inline void tell_theft(const Port& own, const Port& other, uint64_t tasks, uint8_t flags = 0) {
  if (!own.track) [[likely]]
    return;
  if (own.domain != other.domain)
    flags |= trace::kOtherDomain;
  // Relaxed: what is told of the other one, not what it does.
  trace::tasks_stolen(*own.track, other.track_number.load(std::memory_order_relaxed), tasks, flags);
}

} // namespace xomp
