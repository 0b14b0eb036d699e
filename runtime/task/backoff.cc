// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "task/backoff.h"

#include <algorithm>

#include "sys/assert.h"
#include "task/ask.h"

namespace xomp {
namespace {

/// Among how many workers those that are idle share what one alone would do.
int64_t share_of_idle(const Worker& thief) {
  constexpr int kMost = 16;
  return std::clamp(thief.task_team->idle_and_awake(), 1, kMost);
}

/// How often those that leave an owner what it has ask it, all together.
constexpr int64_t kAskAgain = 24 * sys::kTicksOfMicrosecond;

} // namespace

bool still_leaves_alone(Worker& thief, const Worker& creator) {
  Backoff& backoff = thief.backoff;
  XOMP_ASSERT(backoff.creator == creator.id);
  int64_t now = sys::ticks();
  bool over = now >= backoff.creator_until || creator.stack.owner_is_away();
  if (!over && now >= backoff.asks_again) {
    over = creator.stack.is_asked() || !are_tiny(creator);
    backoff.asks_again = now + share_of_idle(thief) * kAskAgain;
    ask_one(thief, creator);
  }
  if (over)
    backoff.creator = Backoff::kNobody;
  return !over;
}

void weigh(Worker& thief, const Worker& creator, int64_t tasks, int64_t took, bool measured) {
  constexpr int kTimesOfTiny = 64;
  Backoff& backoff = thief.backoff;
  backoff.creator = Backoff::kNobody;
  bool large = measured && !are_small(creator, tasks);
  if (large || time_at_home(creator, tasks, took) >= kWorthComing) {
    backoff.rest = 0;
    return;
  }
  // All that are idle come about as often as one alone would.
  int64_t idle = share_of_idle(thief);
  int64_t now = sys::ticks();
  backoff.rest =
      std::clamp(2 * backoff.rest, kWorthComing, std::max<int64_t>(idle, 4) * kWorthComing);
  backoff.rests_until = now + backoff.rest;
  if (&creator != &thief && are_tiny(creator)) {
    backoff.creator = creator.id;
    backoff.creator_until = now + idle * kTimesOfTiny * kWorthComing;
    backoff.asks_again = now + idle * kAskAgain;
    ask_one(thief, creator);
  }
}

} // namespace xomp
