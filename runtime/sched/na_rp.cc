// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// na-rp: NUMA-aware redirect push (paper 1, section IV.C, Alg. 3). Static balancing, but a victim
// that was asked sends the next N_steal tasks that it creates to the thief, until the thief's queue
// is full.
//
// The round lasts as long as the redirecting (the paper's text; Alg. 2 would end it at once, and
// Alg. 3 then drop what is asked meanwhile). A victim accepts a request when it creates a task: in
// the paper when it finds one to run, after which it does nothing with it before it creates one.
#include "sched/thief.h"

namespace xomp {
namespace {

struct RedirectPush : Balancer {
  int thief = kNobody; ///< gets the next tasks
  int pushed = 0;      ///< tasks that it has got in this round
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
  bool more = state.pushed >= settings.steal;
  state.thief = kNobody;
  state.pushed = 0;
  state.mailbox.next_round();
  if (more)
    invite(port);
}

/// Whether a thief gets the next task.
bool redirects(Port& port, RedirectPush& state) {
  if (state.thief == kNobody) {
    state.thief = state.mailbox.thief();
    if (state.thief == kNobody)
      return false;
    port.counters.requests_handled++;
  }
  if (room_in(state, state.thief))
    return true;
  end_round(port, state);
  return false;
}

bool has_room(Port& port) {
  RedirectPush& state = redirecting(port);
  return redirects(port, state) ||
         has_room_in_turn(port, [&] { return state.mailbox.thief() != kNobody; });
}

int put(Port& port, DeferredTask* task, bool elsewhere) {
  RedirectPush& state = redirecting(port);
  if (!redirects(port, state))
    return put_in_turn(port, task, elsewhere);
  int thief = state.thief;
  push_to(port, thief, task); // there is room, and nobody else fills this ring
  port.counters.redirected++;
  port.counters.count_stolen(port.domain == port.peers[thief]->domain, 1);
  if (++state.pushed >= settings.steal)
    end_round(port, state);
  port.peers[thief]->bell.ring();
  return thief;
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
