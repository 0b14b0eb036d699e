// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// na-ws: NUMA-aware work stealing (paper 1, section IV.D, Alg. 4, whose condition on line 3 lacks
// two negations). Static balancing, but a victim that was asked moves up to N_steal tasks from its
// own queues to the thief's: it is the consumer of the former and the producer of the latter, so
// nobody else is needed.
//
// A victim answers when it has found a task to execute, as in the paper, and be it a child of its
// own that no queue had to bring; when it waits in a task and may not start what its queues hold;
// and when it creates a task while its master queue holds something. The last two are ours: a
// worker in the middle of a long loop of creations, or in a long wait, would answer late or never.
//
// Tasks that move are unfinished all the time for the worker that created them, which is what a
// barrier asks for (team/README.md), so it makes no difference to a barrier where they are.
#include "sched/papers/thief.h"

namespace xomp {
namespace {

/// What came of going through the victim's queues.
struct Moved {
  int tasks = 0;
  bool full = false; ///< the thief's queue
};

Moved move_tasks(Port& port, int thief) {
  auto& state = state_of<Balancer>(port);
  Moved moved;
  int most = steal_for(port, state);
  look_through(port, [&](TaskRing& ring, Port& producer) {
    while (DeferredTask* task = ring.front()) {
      if (port.stale && port.stale(task)) {
        pop_from(ring, producer);
        continue;
      }
      if (!room_in(state, thief))
        return moved.full = true;
      pop_from(ring, producer);
      push_to(port, thief, task); // there is room, and nobody else fills this ring
      if (++moved.tasks >= most)
        return true;
    }
    return false;
  });
  return moved;
}

void count(Port& port, const Moved& moved, bool local) {
  Counters& counters = port.counters;
  ++counters.requests_handled;
  if (moved.tasks > 0)
    ++counters.requests_with_steal;
  else if (moved.full)
    ++counters.requests_target_full;
  else
    ++counters.requests_source_empty;
  counters.count_stolen(local, static_cast<uint64_t>(moved.tasks));
}

/// Returns whether there was anything for the thief.
bool give(Port& port, int thief) {
  Moved moved = move_tasks(port, thief);
  count(port, moved, port.domain == port.peers[thief]->domain);
  trace_answer(port, *port.peers[thief], static_cast<uint64_t>(moved.tasks), moved.full);
  return moved.tasks > 0;
}

bool holds_any(Port& port) {
  bool any = false;
  look_through(port, [&](TaskRing& ring, Port&) { return any = ring.front() != nullptr; });
  return any;
}

/// Answers the request that was sent; or if there is none, gives tasks to a worker that sleeps.
void answer(Port& port) {
  auto& state = state_of<Balancer>(port);
  int thief = state.mailbox.thief();
  if (thief != kNobody) {
    bool given = give(port, thief);
    state.mailbox.next_round();
    if (given)
      port.peers[thief]->bell.ring();
    return;
  }
  if (!is_asked(port, state) || !holds_any(port))
    return;
  thief = claim_sleeper(port, state);
  if (thief == kNobody)
    return;
  give(port, thief);
  // In any case: it sleeps, and nobody else knows of it now.
  port.peers[thief]->bell.ring();
}

bool has_room(Port& port) {
  auto& state = state_of<Balancer>(port);
  auto* in = state.in.load(std::memory_order_acquire);
  TaskRing* master = in ? ring_from(in, port.id) : nullptr;
  if (master && master->front() && is_asked(port, state)) [[unlikely]]
    answer(port);
  return has_room_in_turn(port, [&] { return is_asked(port, state); });
}

DeferredTask* take(Port& port, const Judge& judge) {
  auto& state = state_of<Balancer>(port);
  DeferredTask* task = take_in_turn(port, judge);
  // One that may start anything keeps tasks only while its part of the region has not begun. What
  // it gave away would go on from one such worker to the next.
  if (!task && state.kept && !judge.anything)
    answer(port);
  return task;
}

void found_task(Port& port) {
  if (port.count == 1)
    return;
  satisfied(port, state_of<Balancer>(port));
  answer(port);
}

} // namespace

extern const Policy kNaWsPolicy;
constinit const Policy kNaWsPolicy{.open = open_balancer<Balancer>,
                                   .close = close_round_robin<Balancer>,
                                   .has_room = has_room,
                                   .put = put_in_turn,
                                   .take = take,
                                   .queued = queued_in_rings,
                                   .found_nothing = ask_victims<Answers::kWhenCreated>,
                                   .found_task = found_task};

} // namespace xomp
