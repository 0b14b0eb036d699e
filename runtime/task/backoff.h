// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What thieves leave to its owner, as it is over there sooner than somebody comes for it. Rules:
// task/README.md, "Thefts".
#pragma once
#include "sys/ticks.h"
#include "task/worker.h"

namespace xomp {

/// Whether the thief leaves small tasks to all owners now that are not away.
inline bool rests(const Worker& thief) {
  return thief.backoff.rests_until > 0 && sys::ticks() < thief.backoff.rests_until;
}

/// Whether there is a creator whose tiny tasks it leaves alone.
inline bool leaves_somebody_alone(const Worker& thief) {
  return thief.backoff.creator != Backoff::kNobody;
}
/// Whether it leaves what the victim has to it: not for so long that nobody would come for what an
/// owner keeps that does not answer.
bool still_leaves_alone(Worker& thief, const Worker& creator);
inline bool leaves_alone(Worker& thief, const Worker& victim) {
  return victim.id == thief.backoff.creator && still_leaves_alone(thief, victim);
}

/// A theft is over, of so many tasks, from its begin on. Of tasks that take less than it costs to
/// come for them, these and those before if any were measured, the thief leaves the next ones to
/// their owners for a while, for longer each time; tiny ones to their creator for longer.
void weigh(Worker& thief, const Worker& creator, int64_t tasks, int64_t took, bool measured);

} // namespace xomp
