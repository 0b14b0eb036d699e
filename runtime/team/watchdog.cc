// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The report runs in a signal handler beside all workers. What it walks, teams, members and the
// rings between them, stays where it is while it holds the lock; families are never given back
// before their team; tasks it does not follow. Numbers that their worker changes meanwhile may be
// old, or not fit together.
#include "team/watchdog.h"

#include <string_view>

#include "sys/inspection.h"
#include "task/whereabouts.h"

namespace xomp {
namespace {

using sys::peek;
using sys::RawText;

constinit sys::InspectionLock inspection;
constinit Team* watched = nullptr; ///< linked by `next_watched`

constexpr std::string_view kDoing[] = {
    "program", "task",     "barrier", "join",      "dock",   "taskwait", "taskgroup", "dependence",
    "ordered", "doacross", "lock",    "construct", "parked", "parking",  "start",     "?",
};

/// The innermost comes last.
void put_whereabouts(RawText& text, uint64_t word) {
  text << kDoing[0];
  for (int shift = 64 - kDoingBits; shift >= 0; shift -= kDoingBits) {
    auto doing = word >> shift & ((1u << kDoingBits) - 1);
    if (doing != 0)
      text << " > " << kDoing[doing];
  }
}

void put_flag(RawText& text, std::string_view name, bool holds) {
  if (holds)
    text << ", " << name;
}

void put_seat(RawText& text, std::string_view name, const BarrierSeat& seat) {
  text << "; " << name << " round " << peek(seat.round) << (peek(seat.reported) ? " reported" : "")
       << ", from " << peek(seat.from_child[0]) << " " << peek(seat.from_child[1]) << ", release "
       << peek(seat.release);
}

/// The task at hand, as far as it has a family.
void put_task(RawText& text, const Member& member) {
  const Slot* current = peek(member.stack.current);
  const auto* top = reinterpret_cast<const Family*>(peek(current->link));
  text << "; frames " << peek(current->depth) << ", on the stack "
       << peek(member.stack.head) - 1 - current << ", thefts not done "
       << peek(member.stack.guests);
  if (top)
    text << ", children " << peek(top->live) << ", waiting " << peek(top->waiting_count);
  put_flag(text, "fostered", peek(member.fostered));
  put_flag(text, "adopted", peek(member.adopted));
  put_flag(text, "orphans", peek(member.orphans));
  put_flag(text, "dirty", peek(member.dirty));
}

void put_member(RawText& text, bool in_tree, const Member& member) {
  int thread = peek(member.kernel_thread);
  char state = sys::kernel_state(thread);
  text << "xomp:   member " << member.id << ": thread " << thread << " "
       << std::string_view(&state, 1) << (member.bell.sleeping() ? " at its bell" : "") << ", in ";
  put_whereabouts(text, peek(member.whereabouts));
  put_task(text, member);
  const Policy* policy = member.policy;
  if (policy && policy->queued && member.state)
    text << "; queued " << policy->queued(member);
  text << "; seen " << peek(member.seen) << ", go " << peek(member.start.go) << ", parked "
       << peek(member.parked) << "; constructs " << peek(member.constructs) << ", singles "
       << peek(member.singles) << ", phase " << peek(member.phase);
  if (in_tree) {
    put_seat(text, "inner", member.inner);
    put_seat(text, "join", member.join);
  }
  text.end_line();
}

void put_central(RawText& text, std::string_view name, const CentralSeat& seat) {
  text << ", " << name << " arrived " << peek(seat.arrived) << " generation "
       << peek(seat.generation);
}

void put_team(RawText& text, const Team& team) {
  int count = peek(team.count); // a thread's first team is shown before it has its member
  text << "xomp: team ";
  text.put_address(&team);
  text << " in ";
  text.put_address(peek(team.outer));
  text << ", level " << peek(team.level) << ", " << count << " members, "
       << barrier_name(team.barrier) << " barrier, scheduler " << team.policy->name << ", region "
       << peek(team.region) << "; board " << peek(team.board.count) << ", open events "
       << peek(team.open_events) << ", visitors " << peek(team.visitors) << ", asleep "
       << peek(team.asleep) << ", hungry " << peek(team.hungry) << ", parks " << peek(team.park);
  if (team.counts_outstanding)
    text << ", outstanding " << peek(team.outstanding);
  if (team.barrier == BarrierKind::kCentral) {
    put_central(text, "inner", team.central_inner);
    put_central(text, "join", team.central_join);
  }
  put_flag(text, "cancelled", peek(team.cancelled));
  put_flag(text, "leaving", peek(team.leaving));
  text.end_line();
  bool in_tree = team.barrier == BarrierKind::kTree && count > 1;
  for (int i = 0; i < count; ++i) {
    if (team.members[i])
      put_member(text, in_tree, *team.members[i]);
  }
}

void report() {
  RawText text;
  inspection.lock_in_report();
  text << "xomp: state of all workers";
  text.end_line();
  for (const Team* team = watched; team; team = team->next_watched)
    put_team(text, *team);
  text << "xomp: end of the state";
  text.end_line();
  inspection.unlock_in_report();
}

} // namespace

void start_watchdog() {
  if (settings.watchdog)
    sys::report_on_signal(report);
}

void watch(Team& team) {
  Unobserved change;
  if (!settings.watchdog)
    return;
  team.next_watched = watched;
  watched = &team;
}

void unwatch(Team& team) {
  Unobserved change;
  for (Team** link = &watched; *link; link = &(*link)->next_watched) {
    if (*link == &team) {
      *link = team.next_watched;
      return;
    }
  }
}

void note_thread(Member& member) {
  if (settings.watchdog)
    member.kernel_thread = sys::kernel_thread_id();
}

void Unobserved::begin() { inspection.lock_outside(mask_before); }
void Unobserved::end() { inspection.unlock_outside(mask_before); }

void restart_watchdog_after_fork(Member* member) {
  if (!settings.watchdog)
    return;
  inspection.free_after_fork();
  watched = nullptr;
  for (; member; member = member->team->creator) {
    note_thread(*member);
    watch(*member->team);
  }
}

} // namespace xomp
