// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ws: work stealing (paper 5, section 3.1 and Table 1). Each worker has a deque under a lock: it
// puts its own tasks at one end and takes the newest from there; a worker whose own is empty steals
// the oldest from another, beginning with those whose ids are nearest.
#include "queue/locked_deque.h"
#include "sched/papers/shared_room.h"
#include "sched/trace_moves.h"
#include "sys/memory.h"

namespace xomp {
namespace {

struct WsState {
  LockedDeque<DeferredTask> deque;
  ClosedGates closed{false}; ///< its owner's gate
  LookLess look;             ///< at others
};

WsState& state_of(const Port& port) { return *static_cast<WsState*>(port.state); }

// As many as slb gives one creator; the deque grows only as far as it is needed.
uint32_t limit(const Port& port) { return settings.queue_size * static_cast<uint32_t>(port.count); }

bool half_empty(const Port& port) { return state_of(port).deque.size() <= limit(port) / 2; }

void open(Port& port) {
  if (!port.state)
    port.state = sys::create<WsState>();
  WsState& state = state_of(port);
  state.closed.store(false, std::memory_order_relaxed);
  reset(port);
}

void close(Port& port) {
  sys::destroy(static_cast<WsState*>(port.state));
  port.state = nullptr;
}

bool has_room(Port& port) {
  WsState& state = state_of(port);
  if (state.deque.size() < limit(port))
    return true;
  close_shared_gate(port, state.closed, [&] { return half_empty(port); });
  return false;
}

int put(Port& port, DeferredTask* task, bool) {
  WsState& state = state_of(port);
  if (!state.deque.push(task, limit(port)))
    return kNoRoom;
  return port.id;
}

void made_room(Port& owner) {
  if (half_empty(owner))
    open_shared_gates(state_of(owner).closed, owner.peers + owner.id, 1);
}

DeferredTask* steal(Port& thief, Port& victim, const Judge& judge) {
  bool kept = false;
  DeferredTask* task =
      state_of(victim).deque.take_oldest(noting_kept(judge, kept), most_left(judge));
  made_room(victim);
  if (thief.domain != victim.domain)
    thief.counters.count_remote_steal(task != nullptr, kept);
  trace_theft(thief, victim, task != nullptr);
  return task;
}

DeferredTask* take(Port& port, const Judge& judge) {
  LockedDeque<DeferredTask>& own = state_of(port).deque;
  if (own.size() != 0) {
    DeferredTask* task = own.take_newest(judge, most_left(judge));
    made_room(port);
    if (task)
      return task;
  }
  LookLess& look = state_of(port).look;
  if (look.skips(judge))
    return nullptr;
  bool promised = false;
  // Nearest ids first: one further up, one further down, two further up, ...
  for (int n = 1; n < port.count; ++n) {
    int step = (n + 1) / 2;
    int victim = port.id + (n % 2 ? step : port.count - step);
    victim -= victim >= port.count ? port.count : 0;
    if (state_of(*port.peers[victim]).deque.size() == 0)
      continue;
    promised = true;
    if (DeferredTask* task = steal(port, *port.peers[victim], judge)) {
      look.found();
      return task;
    }
  }
  if (promised)
    look.fruitless();
  return nullptr;
}

bool retract(Port& port, DeferredTask* task) {
  if (!state_of(port).deque.retract(task))
    return false;
  made_room(port);
  return true;
}

void after_fork(Port& port) {
  if (port.state)
    state_of(port).deque.after_fork();
}

} // namespace

extern const Policy kWsPolicy;
constinit const Policy kWsPolicy{.open = open,
                                 .close = close,
                                 .has_room = has_room,
                                 .put = put,
                                 .take = take,
                                 .shared = true,
                                 .retract = retract,
                                 .after_fork = after_fork};

} // namespace xomp
