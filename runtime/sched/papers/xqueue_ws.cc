// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// xqueue-ws: XQueue with work stealing (paper 4, section 3.1: the original design, with one
// auxiliary queue, "modified ... to use atomic primitives for supporting work stealing"). A worker
// puts tasks into its master queue and into the auxiliary queue of the worker after it, in turn; it
// takes from its own two queues, the master first, and when these hold nothing for it from those of
// others. Each entry is taken by a compare-and-swap; putting needs none.
//
// The paper does not say where a thief begins. It is drawn here, and all others are looked at.
#include "queue/spmc_ring.h"
#include "sched/papers/random.h"
#include "sched/papers/shared_room.h"
#include "sched/trace_moves.h"
#include "sys/memory.h"

namespace xomp {
namespace {

using Queue = SpmcRing<DeferredTask>;

/// A worker's two outgoing queues: it is their only producer.
struct XqueueWs {
  Queue* own = nullptr;  ///< its master queue
  Queue* next = nullptr; ///< the auxiliary queue of the worker after it
  bool to_next = false;  ///< target of the next put
  int refusals = 0;      ///< full targets in a row
  LookLess look;         ///< at others
  Random random{0};      ///< for victims

  Queue& target() { return to_next ? *next : *own; }
};

XqueueWs& state_of(const Port& port) { return *static_cast<XqueueWs*>(port.state); }

int before(const Port& port, int worker) { return (worker > 0 ? worker : port.count) - 1; }

void open(Port& port) {
  if (!port.state) {
    auto* state = sys::create<XqueueWs>();
    state->own = Queue::create(settings.queue_size);
    state->next = Queue::create(settings.queue_size);
    port.state = state;
  }
  XqueueWs& state = state_of(port);
  state.to_next = false;
  state.refusals = 0;
  state.look.found();
  state.random = Random(static_cast<uint64_t>(port.id));
  reset(port);
}

void close(Port& port) {
  if (!port.state)
    return;
  XqueueWs& state = state_of(port);
  Queue::destroy(state.own);
  Queue::destroy(state.next);
  sys::destroy(&state);
  port.state = nullptr;
}

bool has_room(Port& port) {
  XqueueWs& state = state_of(port);
  if (state.target().has_room()) {
    state.refusals = 0;
    return true;
  }
  state.to_next = !state.to_next && port.count > 1;
  if (++state.refusals < 2)
    return false;
  state.refusals = 0;
  close_gate(port,
             [&] { return state.own->has_room() || (port.count > 1 && state.next->has_room()); });
  return false;
}

int put(Port& port, DeferredTask* task, bool to_another) {
  XqueueWs& state = state_of(port);
  if (port.count > 1)
    state.to_next |= to_another;
  int target = state.to_next ? after(port.id, port) : port.id;
  bool pushed = state.target().push(task);
  state.to_next = !state.to_next && port.count > 1;
  return pushed ? target : kNoRoom;
}

DeferredTask* take_from(Queue& queue, Port& producer, const Judge& judge, bool& kept) {
  bool freed = false;
  auto pick = [picked = noting_kept(judge, kept), &freed](DeferredTask* task) {
    Verdict choice = picked(task);
    freed |= choice != Verdict::kKeep;
    return choice;
  };
  DeferredTask* task = queue.take(pick, most_left(judge), judge.thorough);
  if (freed)
    open_gate(producer);
  return task;
}

/// From the queues of `worker`, the master first; by itself or by a thief.
DeferredTask* take_from_queues_of(const Port& port, int worker, const Judge& judge, bool& kept) {
  Port& owner = *port.peers[worker];
  Port& sender = *port.peers[before(port, worker)];
  DeferredTask* task = take_from(*state_of(owner).own, owner, judge, kept);
  return task ? task : take_from(*state_of(sender).next, sender, judge, kept);
}

DeferredTask* steal(Port& thief, int victim, const Judge& judge, bool& kept) {
  DeferredTask* task = take_from_queues_of(thief, victim, judge, kept);
  if (!task)
    return nullptr;
  if (thief.domain != thief.peers[victim]->domain)
    thief.counters.count_remote_steal(true, false);
  trace_theft(thief, *thief.peers[victim], 1);
  return task;
}

DeferredTask* take(Port& port, const Judge& judge) {
  XqueueWs& state = state_of(port);
  bool kept = false;
  if (DeferredTask* task = take_from_queues_of(port, port.id, judge, kept))
    return task;
  if (port.count == 1 || state.look.skips(judge))
    return nullptr;
  kept = false;
  int victim = static_cast<int>(state.random.below(static_cast<uint32_t>(port.count)));
  for (int n = 0; n < port.count; ++n, victim = after(victim, port)) {
    if (victim == port.id)
      continue;
    if (DeferredTask* task = steal(port, victim, judge, kept)) {
      state.look.found();
      return task;
    }
  }
  if (kept)
    state.look.fruitless();
  return nullptr;
}

int queued(const Port& port) {
  return state_of(port).own->occupied() +
         (port.count > 1 ? state_of(*port.peers[before(port, port.id)]).next->occupied() : 0);
}

void after_fork(Port& port) {
  if (!port.state)
    return;
  state_of(port).own->after_fork();
  state_of(port).next->after_fork();
}

} // namespace

extern const Policy kXqueueWsPolicy;
constinit const Policy kXqueueWsPolicy{.open = open,
                                       .close = close,
                                       .has_room = has_room,
                                       .put = put,
                                       .take = take,
                                       .shared = true,
                                       .queued = queued,
                                       .after_fork = after_fork};

} // namespace xomp
