// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What policies tell listeners: tasks that went from one worker to another.
#pragma once
#include "events/events.h"
#include "sched/policy.h"

namespace xomp {

/// Calls `trace(track, number of the other's, flags)` where somebody listens.
template <class Trace>
void trace_move(const Port& own, const Port& other, uint8_t flags, Trace trace) {
  if (!own.track) [[likely]]
    return;
  if (own.domain != other.domain)
    flags |= trace::kStealFlagRemote;
  // Relaxed: what is told of the other one, not what it does.
  trace(*own.track, other.track_number.load(std::memory_order_relaxed), flags);
}

/// `own` has taken so many tasks of `other`, none where it expected some, or has given them to it
/// (`flags`: trace::kStealFlagGiven).
inline void trace_theft(const Port& own, const Port& other, uint64_t tasks, uint8_t flags = 0) {
  trace_move(own, other, flags, [&](trace::Track& track, uint32_t number, uint8_t all) {
    trace::tasks_stolen(track, number, tasks, all);
  });
}

/// Victim: it has handled the request of `thief`, with so many tasks; `full`: the thief's queue.
inline void trace_answer(const Port& own, const Port& thief, uint64_t tasks, bool full) {
  trace_theft(own, thief, tasks,
              trace::kStealFlagGiven | (full && tasks == 0 ? trace::kStealFlagFull : 0));
}

/// Thief: it has asked `other`. Or, with trace::kStealFlagGiven, victim: `other` sleeps, which is
/// as much.
inline void trace_request(const Port& own, const Port& other, uint8_t flags = 0) {
  trace_move(own, other, flags, [](trace::Track& track, uint32_t number, uint8_t all) {
    trace::tasks_requested(track, number, all);
  });
}

} // namespace xomp
