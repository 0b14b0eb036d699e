// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "team/thread.h"

#include <atomic>
#include <utility>

#include "conf/settings.h"
#include "ompt/tool.h"
#include "sys/memory.h"
#include "sys/stack.h"
#include "sys/uncancellable.h"
#include "task/event.h"
#include "team/forked.h"
#include "team/member.h"
#include "team/pool.h"
#include "team/region.h"
#include "team/tracing.h"
#include "team/watchdog.h"
#include "trace/recorder.h"
#include "trace/stream.h"

namespace xomp {
namespace {

pthread_key_t key;
bool has_key = false; // else ends of threads go unseen
pthread_once_t first_use_once = PTHREAD_ONCE_INIT;

/// A user thread ends: so do the teams that it kept.
void thread_ends(void* value) {
  auto* thread = static_cast<Thread*>(value);
  end_idle_teams(*thread);
  trace::Track* track = thread->track; // its tasks that are left tell there as well
  leave_initial_team(*thread->initial->team);
  if (track)
    trace::thread_ends(*track);
  act_in(stranger);
}

/// The process begins to use OpenMP: what it was spared so far.
void first_use() {
  complete_settings();
  start_watchdog();
  has_key = pthread_key_create(&key, thread_ends) == 0;
}

/// The first thread's record must be found by leak checkers after its stack and TLS are gone.
/// Relaxed: never followed.
std::atomic<Thread*> first_thread{nullptr};

} // namespace

constinit Member stranger{kGateOpen};
__thread Worker* self = &stranger;
__thread int self_id;

Member& register_thread() {
  sys::Uncancellable whole;
  pthread_once(&first_use_once, first_use);
  meet_tool();
  if (self != &stranger) { // by the tool itself
    update_tracing_now(static_cast<Member&>(*self));
    return static_cast<Member&>(*self);
  }
  auto* thread = sys::create<Thread>();
  thread->id = pthread_self();
  thread->stack_limit = sys::middle_of_stack();
  Team& team = new_initial_team(*thread);
  Member& member = *team.members[0];
  thread->initial = &member;
  member.counters.threads = 1;
  thread->places = initial_partition();
  Thread* none = nullptr;
  bool first = first_thread.compare_exchange_strong(none, thread, std::memory_order_relaxed);
  if (place_count() && settings.icv.bind != kBindFalse && first) {
    member.place = thread->places.place;
    if (!is_free_as_at_start())
      thread->bound_place = member.place; // it has been bound since: that stays
  }
  member.partition = thread->places;
  begin_member(member);
  if (has_key)
    pthread_setspecific(key, thread);
  return member;
}

bool knows_a_thread() { return first_thread.load(std::memory_order_relaxed); }

namespace {

/// `give_up(team)` for each team that the thread keeps.
template <class GiveUp> void give_up_idle_teams(Thread& thread, GiveUp give_up) {
  for (Team** idle : {&thread.idle_teams, &thread.idle_serial_teams}) {
    while (Team* team = *idle) {
      *idle = team->next_idle;
      give_up(*team);
    }
  }
}

} // namespace

void end_idle_teams(Thread& thread) {
  give_up_idle_teams(thread, end_team);
  if (Team* spare = std::exchange(thread.spare_initial, nullptr))
    free_initial_team(*spare);
}

void after_fork_in_child() {
  if (!knows_a_thread() && !trace::listening(~uint32_t{0}))
    return; // shells fork all the time
  if (settings.counts())
    reset_counters_after_fork();
  repair_events_after_fork();
  Member* known = self == &stranger ? nullptr : static_cast<Member*>(self);
  repair_regions_after_fork(known);
  reset_idle_threads();
  restart_watchdog_after_fork(known);
  trace::forget_tool_after_fork();
  trace::keep_track_after_fork(known ? known->thread->track : nullptr);
  trace::recorder.after_fork_in_child();
  if (!known)
    return;
  Member& member = *known;
  if (settings.counts() && member.team->active_level == 0)
    enlist(member.counters, member.team, member.id);
  Thread& thread = *member.thread;
  give_up_idle_teams(thread, free_team);
  first_thread.store(&thread, std::memory_order_relaxed);
  leave_active_regions(member);
  // The child may be about to execute another program. One that goes on is bound again when it next
  // begins in a region.
  if (free_thread(thread.bound_place))
    thread.bound_place = -1;
}

bool pause_host(Member& member) {
  if (member.team->level > 0)
    return false;
  end_idle_teams(*member.thread);
  return true;
}

} // namespace xomp
