// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The thief's side of dynamic load balancing (paper 1, section IV), the same for na-rp and na-ws: a
// worker that finds nothing asks N_victim victims, and again after T_interval fruitless looks. What
// a victim does with a request is the policy's.
//
// The paper's idle workers never sleep; ours do. A thief that sleeps has asked everybody whom
// P_local lets it ask: a victim to which no request was sent looks whether somebody sleeps.
#pragma once
#include "sched/papers/guidelines.h"
#include "sched/papers/messaging.h"
#include "sched/papers/round_robin.h"
#include "sched/papers/victims.h"
#include "sched/sleepers.h"
#include "sched/trace_moves.h"

namespace xomp {

struct Balancer : RoundRobin {
  Mailbox mailbox; ///< where this worker is asked
  Victims victims;
  TaskSize size;            ///< of what it ran
  int idle = 0;             ///< fruitless looks since it last asked
  bool asked = false;       ///< since it last found something
  bool stays_local = false; ///< where XOMP_LOCAL is `auto`: whatever the size of tasks

  uint32_t local_share() const {
    if (settings.local_share != Settings::kAutoShare)
      return settings.local_share;
    return stays_local ? Victims::kAlways : guidelines::local_share(size.cycles());
  }

  ~Balancer() { victims.close(); }
};

template <class State> void open_balancer(Port& port) {
  open_round_robin<State>(port, kAllWorkers);
  Balancer& state = state_of<State>(port);
  state.mailbox.clear();
  state.victims.open(port);
  state.size.reset();
  state.idle = 0;
  state.asked = false;
}

/// When a victim answers.
enum class Answers : uint8_t {
  kWhenFound,   ///< when it has found a task to execute; nowhere else does it look
  kWhenCreated, ///< also when it creates one
};

template <Answers kAnswers> void ask(Port& port, int victim) {
  Port& other = *port.peers[victim];
  if (!state_of<Balancer>(other).mailbox.send(port.id))
    return;
  ++port.counters.requests_sent;
  trace_request(port, other);
  // A victim with full queues runs its tasks at once and would not look.
  if constexpr (kAnswers == Answers::kWhenCreated)
    open_gate(other);
}

/// The worker parks: those that run their tasks at once have to look for sleepers.
inline void ask_in_sleep(Port& port, Balancer& state) {
  state.victims.each(port, state.local_share(), [&](int victim) {
    // The fence is that of `prepare_park`: it comes after this worker entered the set.
    open_if_closed(*port.peers[victim]);
  });
}

/// As `Policy::found_nothing`.
template <Answers kAnswers> void ask_victims(Port& port, bool last) {
  auto& state = state_of<Balancer>(port);
  if (last && kAnswers == Answers::kWhenCreated)
    ask_in_sleep(port, state);
  // There are tasks in its queues, but not for it: more of them would be no help.
  if (state.kept)
    return;
  if (state.asked && ++state.idle < interval_in_force())
    return;
  state.asked = true;
  state.idle = 0;
  for (int n = victims_for(state.size, port.count); n > 0; --n)
    ask<kAnswers>(port, state.victims.pick(port, state.local_share()));
}

/// The worker is no longer idle.
inline void satisfied(const Port& port, Balancer& state) {
  state.asked = false;
  if (port.ran_for > 0)
    state.size.note(port.ran_for);
}

/// Victim: most tasks for a request.
inline int steal_for(Port& port, const Balancer& state) {
  return steal_for(state.size, port.count, [&](int most) {
    int held = 0;
    look_through(port, [&](TaskRing& ring, Port&) { return (held += ring.occupied()) >= most; });
    return held;
  });
}

/// Victim: whether a worker sleeps that may ask it.
inline bool is_asked_in_sleep(Port& port, Balancer& state) {
  bool either = state.victims.of_one_kind(port);
  uint32_t local_share = state.local_share();
  return port.sleepers->any(port, either || local_share > 0,
                            either || local_share < Victims::kAlways);
}

/// Victim: whether somebody has asked, awake or asleep.
inline bool is_asked(Port& port, Balancer& state) {
  return state.mailbox.thief() != kNobody || is_asked_in_sleep(port, state);
}

/// Victim, with tasks to give: one that sleeps, drawn as victims are. The caller rings its bell.
inline int claim_sleeper(Port& port, Balancer& state) {
  bool local = state.victims.draw_local(state.local_share());
  uint32_t draw = state.victims.draw();
  int thief = port.sleepers->claim_drawn(port, local, draw);
  if (thief < 0 && state.victims.of_one_kind(port))
    thief = port.sleepers->claim_drawn(port, !local, draw);
  if (thief < 0)
    return kNobody;
  ++port.counters.requests_sent; // on its behalf
  trace_request(port, *port.peers[thief], trace::kStealFlagGiven);
  return thief;
}

} // namespace xomp
