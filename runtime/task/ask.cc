// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "task/ask.h"

#include <utility>

#include "sys/asymmetric_fence.h"
#include "sys/cpu.h"

namespace xomp {

void ask(Worker& thief, int from, int to) {
  sys::SpanCount& asks = thief.tasks->asks;
  bool any = false;
  for (int i = from; i < to; ++i) {
    if (i == thief.id || (i == thief.backoff.creator && to > from + 1))
      continue;
    Worker& owner = peer_of(thief, i);
    // Its first task is asked for as it is.
    if (owner.stack.looks_unused())
      continue;
    // It may work off what it has for long before it creates again.
    if (!owner.stack.is_asked_at_claim() && !are_small(owner, 1) &&
        owner.stack.keeps_pending(false))
      owner.stack.ask_at_claim();
    if (owner.stack.is_asked(std::memory_order_acquire))
      continue;
    if (!std::exchange(any, true))
      asks.begin();
    owner.stack.ask();
  }
  if (any)
    asks.end();
}

void ask_all_for_certain(Worker& thief) {
  ask_all(thief);
  TaskTeam& team = *thief.tasks;
  uint64_t asks = team.asks.so_far();
  bool all_over = !sys::SpanCount::any_open(asks);
  // Acquire: the fence of whoever says that it passed one for all of these.
  if (all_over && team.fenced_asks.load(std::memory_order_acquire) == asks)
    return;
  sys::heavy_fence();
  if (all_over)
    team.fenced_asks.store(asks, std::memory_order_release);
}

bool stays_away(const SplitStack& stack) {
  constexpr int kRounds = 64;
  for (int i = 0; i < kRounds; ++i) {
    if (!stack.is_asked())
      return false;
    sys::pause();
  }
  return true;
}

} // namespace xomp
