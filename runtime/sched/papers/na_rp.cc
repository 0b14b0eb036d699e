// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// na-rp: NUMA-aware redirect push (paper 1, section IV.C, Alg. 3). Static balancing, but a victim
// that was asked sends the next N_steal tasks that it creates to the thief, until the thief's queue
// is full.
//
// A victim accepts a request when it has found a task to execute, and at no other time: a worker
// that only creates tasks redirects none. The round lasts as long as the redirecting (the paper's
// text; Alg. 2 would end it at once, and Alg. 3 then drop what is asked meanwhile), but no longer
// than the victim finds tasks: one that finds none is a thief, and what it creates next, perhaps in
// another region, is not for the one that asked long ago.
#include "sched/papers/thief.h"

namespace xomp {
namespace {

struct RedirectPush : Balancer {
  int thief = kNobody;      ///< gets the next tasks
  int pushed = 0;           ///< tasks that it has got in this round
  int most = 0;             ///< that it may get
  bool asleep = false;      ///< it was found asleep, and wrote no request
  bool for_sleeper = false; ///< the next task created is the first of a round for one that sleeps
};

RedirectPush& redirecting(const Port& port) { return state_of<RedirectPush>(port); }

void open(Port& port) {
  open_balancer<RedirectPush>(port);
  redirecting(port).stays_local = true;
  redirecting(port).thief = kNobody;
  redirecting(port).pushed = 0;
  redirecting(port).for_sleeper = false;
}

/// `in_vain` counts the round if nothing was redirected in it.
void end_round(Port& port, RedirectPush& state, Count Counters::* in_vain) {
  port.counters.*(state.pushed > 0 ? &Counters::requests_with_steal : in_vain) += 1;
  trace_answer(port, *port.peers[state.thief], static_cast<uint64_t>(state.pushed),
               in_vain == &Counters::requests_target_full);
  state.thief = kNobody;
  state.pushed = 0;
  if (!state.asleep)
    state.mailbox.next_round();
}

void begin_round(Port& port, RedirectPush& state, int thief, bool asleep) {
  state.thief = thief;
  state.asleep = asleep;
  if (thief == kNobody)
    return;
  state.most = steal_for(port, state);
  ++port.counters.requests_handled;
}

/// The request that is accepted is the one that was sent; or if there is none, that of whoever
/// sleeps. Which one is drawn when there is a task for it: the one that is taken out of the set is
/// woken.
void found_task(Port& port) {
  if (port.count == 1)
    return;
  RedirectPush& state = redirecting(port);
  satisfied(port, state);
  if (state.thief != kNobody)
    return;
  begin_round(port, state, state.mailbox.thief(), false);
  state.for_sleeper = state.thief == kNobody && is_asked_in_sleep(port, state);
}

/// A closed gate says that the thief's queue is full, too, and opens when it takes a task from it.
bool has_room(Port& port) {
  RedirectPush& state = redirecting(port);
  if (state.thief != kNobody) {
    if (room_in(state, state.thief))
      return true;
    end_round(port, state, &Counters::requests_target_full);
  }
  return has_room_in_turn(port, [] { return false; });
}

int redirect(Port& port, RedirectPush& state, DeferredTask* task) {
  int thief = state.thief;
  bool pushed = push_to(port, thief, task);
  if (pushed) {
    ++port.counters.redirected;
    port.counters.count_stolen(port.domain == port.peers[thief]->domain, 1);
    ++state.pushed;
  }
  if (!pushed || state.pushed >= state.most)
    end_round(port, state, &Counters::requests_target_full);
  port.peers[thief]->bell.ring();
  return pushed ? thief : kNoRoom;
}

int put(Port& port, DeferredTask* task, bool to_another) {
  RedirectPush& state = redirecting(port);
  if (state.for_sleeper) {
    state.for_sleeper = false;
    begin_round(port, state, claim_sleeper(port, state), true);
  }
  if (state.thief != kNobody) {
    int thief = redirect(port, state, task);
    if (thief != kNoRoom)
      return thief;
  }
  return put_in_turn(port, task, to_another);
}

void found_nothing(Port& port, bool last) {
  RedirectPush& state = redirecting(port);
  state.for_sleeper = false;
  if (state.thief != kNobody)
    end_round(port, state, &Counters::requests_source_empty);
  ask_victims<Answers::kWhenFound>(port, last);
}

} // namespace

extern const Policy kNaRpPolicy;
constinit const Policy kNaRpPolicy{.open = open,
                                   .close = close_round_robin<RedirectPush>,
                                   .has_room = has_room,
                                   .put = put,
                                   .take = take_in_turn,
                                   .queued = queued_in_rings,
                                   .found_nothing = found_nothing,
                                   .found_task = found_task};

} // namespace xomp
