// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The report runs in a signal handler beside all workers. What it walks, teams, members and the
// rings between them, stays where it is while it holds the lock; frames and full frames may go
// away, and the kernel looks whether they are there; tasks it does not follow, but for those whose
// events are open. Numbers that their worker changes meanwhile may be old, or not fit together.
#include "team/watchdog.h"

#include <string_view>

#include "sys/inspection.h"
#include "task/activity.h"
#include "task/event.h"

namespace xomp {
namespace {

using sys::peek;
using sys::peek_if_there;
using sys::RawText;

constinit sys::InspectionLock inspection;
constinit Team* watched = nullptr; ///< linked by `next_watched`

constexpr std::string_view kActivities[] = {
    "program",    "task",    "barrier",  "join", "wait_for_region", "taskwait", "taskgroup",
    "dependence", "ordered", "doacross", "lock", "construct",       "parked",   "parking",
    "start",      "?",
};

/// The innermost comes last.
void put_activity(RawText& text, uint64_t word) {
  text << kActivities[0];
  for (int shift = 64 - kActivityBits; shift >= 0; shift -= kActivityBits) {
    auto doing = word >> shift & ((1u << kActivityBits) - 1);
    if (doing != 0)
      text << " > " << kActivities[doing];
  }
}

void put_flag(RawText& text, std::string_view name, bool holds) {
  if (holds)
    text << ", " << name;
}

void put_node(RawText& text, std::string_view name, const BarrierNode& node) {
  uint64_t round = peek(node.round);
  text << "; " << name << " round " << round << ", reports";
  for (const std::atomic<uint64_t>& report : node.reports)
    text << " " << peek(report);
  text << ", release " << peek(node.release);
  put_flag(text, "reported", round != 0 && peek(node.reports[round & 1]) >> 1 == round);
}

/// Whether it had a full frame, which has so many children, waiting ones among them.
bool count_children(uintptr_t link, uint32_t& children, uint32_t& waiting) {
  const auto* full_frame = reinterpret_cast<const FullFrame*>(link);
  return link && Slot::is_frame(link) && peek_if_there(full_frame->live, children) &&
         peek_if_there(full_frame->waiting_count, waiting);
}

/// The task at hand, as far as it has a full frame. By now another task may be there, or nothing.
void put_task(RawText& text, const Member& member) {
  const Slot* current = peek(member.stack.current);
  uintptr_t link = 0;
  uint32_t frames = 0, children, waiting;
  peek_if_there(current->depth, frames);
  peek_if_there(current->link, link);
  text << "; frames " << frames << ", on the stack " << peek(member.stack.head) - 1 - current
       << ", thefts not done " << peek(member.stack.guests);
  if (count_children(link, children, waiting))
    text << ", children " << children << ", waiting " << waiting;
  put_flag(text, "ready_successors", peek(member.ready_successors));
  put_flag(text, "ended_with_ready", peek(member.ended_with_ready));
  put_flag(text, "ended_with_running", peek(member.ended_with_running));
  put_flag(text, "dirty", peek(member.stack.dirty));
}

void put_member(RawText& text, bool in_tree, const Member& member) {
  int thread = peek(member.kernel_thread);
  char state = sys::kernel_state(thread);
  text << "xomp:   member " << member.id << ": thread " << thread << " "
       << std::string_view(&state, 1) << (member.bell.sleeping() ? " at its bell" : "") << ", in ";
  put_activity(text, peek(member.activity));
  put_task(text, member);
  const Policy* policy = member.policy;
  if (policy->queued && member.state)
    text << "; queued " << policy->queued(member);
  text << "; seen " << peek(member.region_seen) << ", go " << peek(member.start.go)
       << "; constructs " << peek(member.constructs) << ", singles " << peek(member.singles)
       << ", phase " << peek(member.phase);
  if (in_tree) {
    put_node(text, "inner", member.inner);
    put_node(text, "join", member.join);
    put_flag(text, "settled", peek(member.settled_in));
  }
  text.end_line();
}

void put_shared(RawText& text, std::string_view name, const SharedBarrier& node) {
  text << ", " << name << " arrived " << peek(node.arrived) << " generation " << peek(node.over);
}

void put_team(RawText& text, const Team& team) {
  int count = peek(team.count); // a thread's first team is shown before it has its member
  text << "xomp: team ";
  text.put_address(&team);
  text << " in ";
  const Member* creator = peek(team.creator);
  text.put_address(creator ? creator->team : nullptr);
  text << ", level " << peek(team.level) << ", " << count << " members, "
       << barrier_name(settings.barrier) << " barrier, scheduler "
       << scheduler_name(settings.scheduler) << ", region " << peek(team.region) << "; overflow "
       << peek(team.overflow.count) << ", open events " << open_events(team) << ", visitors "
       << peek(team.visitors) << ", asleep " << peek(team.asleep) << ", idle "
       << peek(team.idle_workers);
  if (settings.has_central_barrier())
    text << ", outstanding " << peek(team.outstanding);
  if (settings.has_central_barrier() || peek(team.flat)) {
    put_shared(text, "inner", team.shared_inner);
    put_shared(text, "join", team.shared_join);
  }
  put_flag(text, "cancelled", peek(team.cancelled));
  put_flag(text, "leaving", peek(team.leaving) != 0);
  text.end_line();
  bool in_tree = !settings.has_central_barrier() && count > 1;
  for (int i = 0; i < count; ++i) {
    if (team.members[i])
      put_member(text, in_tree, *team.members[i]);
  }
}

void put_state() {
  RawText text;
  text << "xomp: state of all workers";
  text.end_line();
  for (const Team* team = watched; team; team = team->next_watched)
    put_team(text, *team);
  text << "xomp: end of the state";
  text.end_line();
}

/// Written whole while the lock is held: two reports do not mix.
void report() {
  inspection.lock_in_report();
  put_state();
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
