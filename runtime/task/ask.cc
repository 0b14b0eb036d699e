// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "task/ask.h"

#include <utility>

#include "sys/asymmetric_fence.h"
#include "sys/cpu.h"

namespace xomp {

namespace {

/// One thief's questions, made known to those that count on their being answered.
class Asking {
public:
  explicit Asking(Worker& thief) : asks(thief.task_team->asks) {}
  ~Asking() {
    if (any)
      asks.end();
  }
  Asking(const Asking&) = delete;
  Asking& operator=(const Asking&) = delete;

  void ask(Worker& owner) {
    // It may work off what it has for long before it creates again.
    if (!owner.stack.is_asked_at_claim() && !are_small(owner, 1) &&
        owner.stack.keeps_pending(false))
      owner.stack.ask_at_claim();
    if (owner.stack.is_asked(std::memory_order_acquire))
      return;
    if (!std::exchange(any, true))
      asks.begin();
    owner.stack.ask();
  }

private:
  sys::SpanCount& asks;
  bool any = false;
};

} // namespace

void ask_one(Worker& thief, const Worker& owner) {
  if (&owner != &thief && thief.task_team->stacks_in_use.has(owner.id))
    Asking(thief).ask(peer_of(thief, owner.id));
}

void ask_all(Worker& thief) {
  Asking asking(thief);
  thief.task_team->stacks_in_use.visit_from(0, [&](int id) {
    if (id != thief.id && id != thief.backoff.creator)
      asking.ask(peer_of(thief, id));
    return false;
  });
}

void ask_all_for_certain(Worker& thief) {
  ask_all(thief);
  TaskTeam& team = *thief.task_team;
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
