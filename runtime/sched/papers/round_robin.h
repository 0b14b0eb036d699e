// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Static balancing over the XQueue matrix (paper 1, section II.B): a producer goes round its
// targets, beginning with its own master ring; a full target means that the task is run at once. A
// consumer looks at its master ring first, then at the auxiliaries, going on where it last found
// something. The targets are the worker itself and the workers after it: all of them (slb, paper
// 4's vN) or the next one or two (xqueue1, xqueue2).
#pragma once
#include <algorithm>

#include "sched/papers/ring_matrix.h"
#include "sys/memory.h"

namespace xomp {

struct RoundRobin : RingMatrix {
  int targets = 0;   ///< the first is the worker itself
  int next = 0;      ///< target of the next put
  int refusals = 0;  ///< full targets in a row
  int scan = 0;      ///< producer whose auxiliary ring is looked at first
  int first = 0;     ///< of the producers whose targets include this worker
  bool kept = false; ///< the last `take` left a task behind that the worker may not start
};

inline constexpr int kAllWorkers = 1 << 30;

/// The state as what `Policy::open` made it.
template <class State = RoundRobin> State& state_of(const Port& port) {
  return static_cast<State&>(matrix_of(port));
}

/// As `Policy::open`, with rings to so many others.
template <class State = RoundRobin> void open_round_robin(Port& port, int auxiliaries) {
  if (!port.state)
    port.state = static_cast<RingMatrix*>(sys::create<State>());
  State& state = state_of<State>(port);
  reserve_rings(state, port.count);
  state.targets = std::min(auxiliaries, port.count - 1) + 1;
  state.next = port.id;
  state.refusals = 0;
  state.first = port.id + 1 - state.targets;
  if (state.first < 0)
    state.first += port.count;
  state.scan = state.first;
  state.kept = false;
  reset(port);
}

template <class State = RoundRobin> void close_round_robin(Port& port) {
  if (!port.state)
    return;
  State& state = state_of<State>(port);
  free_rings(state);
  sys::destroy(&state);
  port.state = nullptr;
}

inline int next_target(const RoundRobin& state, const Port& port) {
  int last = port.id + state.targets - 1;
  if (state.next == (last < port.count ? last : last - port.count))
    return port.id;
  return after(state.next, port);
}

inline bool room_anywhere(const RoundRobin& state, const Port& port) {
  int target = port.id;
  for (int n = 0; n < state.targets; ++n, target = after(target, port)) {
    if (room_in(state, target))
      return true;
  }
  return false;
}

/// As `Policy::has_room`. The gate is not closed while `news()`: something besides room for which
/// the worker has to come here.
template <class News> bool has_room_in_turn(Port& port, News news) {
  RoundRobin& state = state_of(port);
  if (room_in(state, state.next)) {
    state.refusals = 0;
    return true;
  }
  state.next = next_target(state, port);
  if (++state.refusals >= state.targets) {
    state.refusals = 0;
    close_gate(port, [&] { return room_anywhere(state, port) || news(); });
  }
  return false;
}

/// As `Policy::put`.
inline int put_in_turn(Port& port, DeferredTask* task, bool to_another) {
  RoundRobin& state = state_of(port);
  if (to_another && state.next == port.id)
    state.next = next_target(state, port);
  int target = state.next;
  state.next = next_target(state, port);
  if (!push_to(port, target, task))
    return kNoRoom;
  if (target != port.id)
    port.peers[target]->bell.ring();
  return target;
}

/// Calls `look(ring, producer)` for the master ring and then for the auxiliaries, until it is true.
template <class Look> void look_through(Port& port, Look look) {
  RoundRobin& state = state_of(port);
  auto* in = state.in.load(std::memory_order_acquire);
  if (!in)
    return;
  TaskRing* master = ring_from(in, port.id);
  if (master && look(*master, port))
    return;
  int from = state.scan;
  for (int n = 0; n < state.targets; ++n) {
    TaskRing* ring = from == port.id ? nullptr : ring_from(in, from);
    if (ring && look(*ring, *port.peers[from])) {
      state.scan = from;
      return;
    }
    from = from == port.id ? state.first : after(from, port);
  }
}

/// As `Policy::take`.
inline DeferredTask* take_in_turn(Port& port, const Judge& judge) {
  bool kept = false;
  DeferredTask* task = nullptr;
  look_through(port, [&](TaskRing& ring, Port& producer) {
    task = take_from(ring, producer, judge, kept);
    return task != nullptr;
  });
  state_of(port).kept = kept;
  return task;
}

/// A policy that does nothing else.
template <int kAuxiliaries> constexpr Policy round_robin_policy() {
  Policy policy{};
  policy.open = [](Port& port) { open_round_robin(port, kAuxiliaries); };
  policy.close = [](Port& port) { close_round_robin(port); };
  policy.has_room = [](Port& port) { return has_room_in_turn(port, [] { return false; }); };
  policy.put = [](Port& port, DeferredTask* task, bool to_another) {
    return put_in_turn(port, task, to_another);
  };
  policy.take = [](Port& port, const Judge& judge) { return take_in_turn(port, judge); };
  policy.queued = queued_in_rings;
  return policy;
}

} // namespace xomp
