// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The thief's side of dynamic load balancing (paper 1, section IV), the same for na-rp and na-ws: a
// worker that finds nothing asks N_victim victims, and again after T_interval fruitless looks. What
// a victim does with a request is the policy's.
//
// The paper's idle workers never sleep. Ours do, and then rely on their requests: before a thief
// sleeps it asks everybody whom P_local lets it ask and who has not been asked by another, and a
// victim that has answered one request and has more to give wakes another sleeper (`invite`).
#pragma once
#include "sched/messaging.h"
#include "sched/round_robin.h"
#include "sched/sleepers.h"
#include "sched/victims.h"

namespace xomp {

struct Balancer : RoundRobin {
  Mailbox mailbox; ///< where this worker is asked
  Victims victims;
  int idle = 0;       ///< fruitless looks since it last asked
  bool asked = false; ///< since it last found something

  ~Balancer() { victims.close(); }
};

template <class State> void open_balancer(Port& port) {
  open_round_robin<State>(port, kAllWorkers);
  Balancer& state = state_of<State>(port);
  state.mailbox.clear();
  state.victims.open(port);
  state.idle = 0;
  state.asked = false;
}

inline void ask(Port& port, int victim) {
  Port& other = *port.peers[victim];
  if (!state_of<Balancer>(other).mailbox.send(port.id))
    return;
  port.counters.requests_sent++;
  // A victim with full queues runs its tasks at once and would not look. Release: the request comes
  // first.
  open_gate(other);
}

/// As `Policy::found_nothing`.
inline void ask_victims(Port& port, bool last) {
  auto& state = state_of<Balancer>(port);
  // There are tasks in its queues, but not for it: more of them would be no help.
  if (state.kept)
    return;
  if (last)
    return state.victims.each(port, settings.local_share, [&](int victim) { ask(port, victim); });
  if (state.asked && ++state.idle < settings.interval)
    return;
  state.asked = true;
  state.idle = 0;
  for (int n = 0; n < settings.victims; ++n)
    ask(port, state.victims.pick(port, settings.local_share));
}

/// The worker is no longer idle.
inline void satisfied(Balancer& state) { state.asked = false; }

/// Victim, after it has gone on to the next round with more to give: wakes one worker that sleeps,
/// which may have found the request cell taken.
inline void invite(Port& port) {
  // Orders the new round before the look: either the sleeper saw it in its last look, or it is seen
  // asleep.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  port.sleepers->wake_one(port);
}

} // namespace xomp
