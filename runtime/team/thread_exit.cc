// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a thread of the program leaves when it ends: its initial team, whose tasks may be unfinished
// because events are open. States and races: team/README.md.
#include "sys/assert.h"
#include "sys/memory.h"
#include "sys/stack.h"
#include "task/run.h"
#include "team/barrier_kinds.h"
#include "team/pool.h"
#include "team/thread.h"
#include "team/tracing.h"

namespace xomp {
namespace {

DeferredTask* next_ready(Member& member) {
  Search search{.scope = {Scope::kAnything}, .thorough = true};
  return next_task(member, search);
}

void free_with_thread(Team& team) {
  Thread& thread = master_of(team);
  end_idle_teams(thread);
  free_initial_team(team);
  sys::destroy(&thread);
}

/// Gives the team up as it is. False: it was freed, or somebody else has it or will have it. True:
/// an event was fulfilled since `seen` was read, and its thread relied on the caller.
bool give_up(Team& team, uint32_t seen) {
  XOMP_ASSERT(team.initial && !team.abandoned.load(std::memory_order_relaxed));
  // Counted, because from here on somebody else may finish the team.
  team.visitors.fetch_add(1, std::memory_order_relaxed);
  // Release: the next one continues where the caller stopped. The fence orders it before the look;
  // the other half of the Dekker pair is in `fulfill`.
  team.abandoned.store(true, std::memory_order_release);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  bool again = team.fulfilled.load(std::memory_order_relaxed) != seen && take_over(team);
  XOMP_ASSERT(team.visitors.load(std::memory_order_relaxed) > 0);
  // Release: see `see_off_visitors`.
  team.visitors.fetch_sub(1, std::memory_order_release);
  return again;
}

/// Runs what is ready, beginning with `task` (or null), until everything is finished or waits for
/// an event. The calling thread acts in `member`.
void work_off(Team& team, DeferredTask* task) {
  Member& member = *team.members[0];
  for (;;) {
    // Acquire: what that event made ready is seen below.
    uint32_t seen = team.fulfilled.load(std::memory_order_acquire);
    while (task || (task = next_ready(member))) {
      launch(member, *task);
      task = nullptr;
    }
    end_idle_teams(*member.thread);
    // Before somebody else may go on with the team: an implicit task ends on its thread.
    trace_initial_ends(member);
    if (settled(member))
      return free_with_thread(team);
    if (!give_up(team, seen))
      return;
    trace_initial_begins(member);
  }
}

struct AdoptedTeam {
  Team& team;
  DeferredTask* task;
};

/// The calling thread stands in for the one that has ended.
void act_for_ended(AdoptedTeam adopted, uintptr_t stack_limit) {
  Member& member = *adopted.team.members[0];
  member.thread->id = pthread_self();
  member.thread->bound_place = -1;
  member.thread->stack_limit = member.stack_limit = stack_limit;
  member.gate.store(member.creates_slowly ? kGateOpen : stack_limit, std::memory_order_relaxed);
  // The thread that told of this member has ended, and so has the initial task. Another track, also
  // if the calling thread has one: it is in the middle of something else.
  trace::Track* track = member.track ? &trace::thread_begins(false) : nullptr;
  member.track = member.thread->track = track;
  trace_initial_begins(member);
  Worker& before = *self;
  act_in(member);
  work_off(adopted.team, adopted.task); // may free it
  act_in(before);
  if (track)
    trace::thread_ends(*track);
}

void* serve(void* argument) {
  auto* adopted = static_cast<AdoptedTeam*>(argument);
  AdoptedTeam copy = *adopted;
  sys::destroy(adopted);
  act_for_ended(copy, sys::middle_of_stack());
  return nullptr;
}

bool start_thread(const AdoptedTeam& adopted) {
  auto* argument = sys::create<AdoptedTeam>(adopted);
  pthread_t thread;
  bool started = pthread_create(&thread, nullptr, serve, argument) == 0;
  if (started)
    pthread_detach(thread);
  else
    sys::destroy(argument);
  return started;
}

} // namespace

void leave_initial_team(Team& team) { work_off(team, nullptr); }

void adopt_team(TaskTeam& tasks) {
  Team& team = static_cast<Team&>(tasks);
  Member& member = *team.members[0];
  for (;;) {
    uint32_t seen = team.fulfilled.load(std::memory_order_acquire);
    // Not here: the caller may hold locks that the task needs.
    if (DeferredTask* task = next_ready(member)) {
      AdoptedTeam adopted{team, task};
      if (!start_thread(adopted))
        act_for_ended(adopted, sys::middle_of_stack());
      return;
    }
    if (settled(member))
      return free_with_thread(team);
    if (!give_up(team, seen))
      return;
  }
}

} // namespace xomp
