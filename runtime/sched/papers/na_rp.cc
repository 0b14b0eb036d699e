// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// na-rp: NUMA-aware redirect push (paper 1, section IV.C, Alg. 3). Static balancing, but a victim
// that was asked sends the next N_steal tasks that it creates to the thief, until the thief's queue
// is full.
//
// The round lasts as long as the redirecting (the paper's text; Alg. 2 would end it at once, and
// Alg. 3 then drop what is asked meanwhile). A victim accepts a request when it creates a task: in
// the paper when it finds one to run, after which it does nothing with it before it creates one.
#include "sched/papers/thief.h"

namespace xomp {
namespace {

struct RedirectPush : Balancer {
  int thief = kNobody; ///< gets the next tasks
  int pushed = 0;      ///< tasks that it has got in this round
  bool asleep = false; ///< it was found asleep, and wrote no request
};

RedirectPush& redirecting(const Port& port) { return state_of<RedirectPush>(port); }

void open(Port& port) {
  open_balancer<RedirectPush>(port);
  redirecting(port).thief = kNobody;
  redirecting(port).pushed = 0;
}

void end_round(Port& port, RedirectPush& state) {
  if (state.pushed > 0)
    port.counters.requests_with_steal++;
  else
    port.counters.requests_target_full++;
  state.thief = kNobody;
  state.pushed = 0;
  if (!state.asleep)
    state.mailbox.next_round();
}

void begin_round(Port& port, RedirectPush& state, int thief, bool asleep) {
  state.thief = thief;
  state.asleep = asleep;
  if (thief != kNobody)
    port.counters.requests_handled++;
}

/// Whether a thief that asked gets the next task.
bool redirects(Port& port, RedirectPush& state) {
  if (state.thief == kNobody)
    begin_round(port, state, state.mailbox.thief(), false);
  if (state.thief == kNobody)
    return false;
  if (room_in(state, state.thief))
    return true;
  end_round(port, state);
  return false;
}

bool has_room(Port& port) {
  RedirectPush& state = redirecting(port);
  return redirects(port, state) || has_room_in_turn(port, [&] { return is_asked(port, state); });
}

int redirect(Port& port, RedirectPush& state, DeferredTask* task) {
  int thief = state.thief;
  bool pushed = push_to(port, thief, task);
  if (pushed) {
    port.counters.redirected++;
    port.counters.count_stolen(port.domain == port.peers[thief]->domain, 1);
    ++state.pushed;
  }
  if (!pushed || state.pushed >= settings.steal)
    end_round(port, state);
  port.peers[thief]->bell.ring();
  return pushed ? thief : kNoRoom;
}

int put(Port& port, DeferredTask* task, bool elsewhere) {
  RedirectPush& state = redirecting(port);
  if (!redirects(port, state))
    begin_round(port, state, claim_sleeper(port, state), true);
  if (state.thief != kNobody) {
    int thief = redirect(port, state, task);
    if (thief != kNoRoom)
      return thief;
  }
  return put_in_turn(port, task, elsewhere);
}

DeferredTask* take(Port& port, const Judge& judge) {
  DeferredTask* task = take_in_turn(port, judge);
  if (task)
    satisfied(redirecting(port));
  return task;
}

} // namespace

extern const Policy kNaRpPolicy;
constinit const Policy kNaRpPolicy{.name = "na-rp",
                                   .open = open,
                                   .close = close_round_robin<RedirectPush>,
                                   .has_room = has_room,
                                   .put = put,
                                   .take = take,
                                   .queued = queued_in_rings,
                                   .found_nothing = ask_victims};

} // namespace xomp
