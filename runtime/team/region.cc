// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "team/region.h"

#include <algorithm>
#include <utility>

#include "conf/settings.h"
#include "sys/assert.h"
#include "sys/relaxed.h"
#include "sys/report.h"
#include "task/environment.h"
#include "task/frame.h"
#include "task/run.h"
#include "team/barrier.h"
#include "team/barrier_kinds.h"
#include "team/constructs.h"
#include "team/domains.h"
#include "team/member.h"
#include "team/policies.h"
#include "team/pool.h"
#include "team/tracing.h"
#include "team/watchdog.h"

namespace xomp {
namespace {

/// Threads of all teams that run now, besides the initial threads: decides which may spin.
std::atomic<int> running{0};

/// What another policy kept is given up.
void choose_policy(Team& team, int threads) {
  const Policy& wanted = threads > 1 ? policy_of(settings.scheduler) : kSoloPolicy;
  bool changes = team.members[0]->policy->close != wanted.close;
  for (int i = 0; changes && i < team.capacity; ++i) {
    if (Member* member = team.members[i])
      std::exchange(member->policy, &kSoloPolicy)->close(*member);
  }
  for (int i = 0; i < threads; ++i)
    team.members[i]->policy = &wanted;
}

/// The queues, words and ports for `threads` members. Nobody but the master may be looking.
[[gnu::noinline]] void resize(Team& team, int threads) {
  XOMP_ASSERT(threads >= 1 && threads <= team.capacity);
  park_team(team);
  Unobserved change;
  team.count = threads;
  choose_policy(team, threads);
  for (int i = 0; i < threads; ++i) {
    Member& member = *team.members[i];
    sys::store_relaxed(member.count, threads); // one that yields meanwhile may look
    member.at_single = way_at_single(member);
    member.idle_yields = 0;
    member.steals_from = 0;
    member.backoff.creator = Backoff::kNobody;
    reset(member, &Member::inner);
    reset(member, &Member::join);
  }
  enter_domains(team, threads);
  for (int i = 0; i < threads; ++i)
    team.members[i]->policy->open(*team.members[i]);
  team.stacks_in_use.remove_all(); // of members that are not in it any more, too
  for (int i = 0; i < threads; ++i) {
    choose_stack(*team.members[i]);
    open_stack(*team.members[i]);
  }
  team.thread_stack_bytes = threads > 1 ? team.members[1]->stack_bytes : 0;
}

void after_cancellation(Team& team) {
  for (int i = 0; i < team.count; ++i)
    reset(*team.members[i], &Member::inner);
  team.cancelled.store(false, std::memory_order_relaxed);
}

/// Takes up to `wanted` threads more out of what thread-limit-var leaves the contention group,
/// where there is a limit. Regions that start at the same time share it: each takes its part in one
/// step. Relaxed: nothing but the number is shared.
int claim_threads(Team& root, int wanted, int limit) {
  if (limit == kNoThreadLimit)
    return wanted;
  int busy = root.busy.load(std::memory_order_relaxed);
  int granted;
  do
    granted = std::clamp(limit - busy, 0, wanted);
  while (!root.busy.compare_exchange_weak(busy, busy + granted, std::memory_order_relaxed));
  return granted;
}

/// Gives back `threads` of those that a region of this team has claimed.
void release_threads(Team& team, int threads) {
  if (team.icv.thread_limit == kNoThreadLimit)
    return;
  XOMP_ASSERT(team.root->busy.load(std::memory_order_relaxed) > threads);
  team.root->busy.fetch_sub(threads, std::memory_order_relaxed);
}

/// Counts the threads that a team has besides its master among those that run. Returns how many run
/// then, and the master.
int count_running(int threads) {
  if (threads == 0) // no atomic operation in regions of one thread
    return running.load(std::memory_order_relaxed) + 1;
  return running.fetch_add(threads, std::memory_order_relaxed) + threads + 1;
}

/// More threads run than there are processors: notes how the team gets along. Not inline: nothing
/// of this is on the path of other regions.
[[gnu::noinline]] void begin_crowded(Team& team, int threads) {
  set_if_changed(team.flat, settings.yields && threads > 1 && !settings.has_central_barrier());
  team.members[0]->counters.regions_crowded += threads > 1;
}

/// How many threads a region gets that asks for `requested` (0: the ICVs say), OpenMP 5.2
/// section 10.1.1.
int region_size(Member& member, unsigned requested) {
  if (requested == 1)
    return 1;
  const Icv& icvs = icv(member);
  if (member.team->active_level >= icvs.max_active_levels)
    return 1;
  int threads = requested ? supported_threads(requested) : icvs.num_threads;
  if (icvs.dynamic) {
    // As many as there are processors without work.
    int idle = settings.threads_at_once - running.load(std::memory_order_relaxed);
    threads = std::min(threads, std::max(idle, 1));
  }
  return threads;
}

} // namespace

void region_start(void (*body)(void*), void* argument, unsigned requested, unsigned bind,
                  void (*prepare)(Team&, void*), void* prepare_argument) {
  Member& creator = me();
  int threads = region_size(creator, requested);
  Thread& thread = *creator.thread;
  Team& outer = *creator.team;
  const Icv& icvs = icv(creator);
  unsigned inside = icvs.bind;
  if (bind == 0 || inside == kBindFalse)
    bind = inside; // a clause does not turn binding on
  else if (bind & kHereOnly)
    bind &= ~kHereOnly;
  else
    inside = bind;
  int claimed = claim_threads(*outer.root, threads - 1, icvs.thread_limit);
  Team& team = take_team(thread, claimed == 0);
  XOMP_ASSERT(&master_of(team) == &thread && &team != &outer);
  XOMP_ASSERT(team.leaving.load(std::memory_order_relaxed) == 0);
  team.root = outer.root;
  threads = staff_team(team, claimed + 1, bind);
  XOMP_ASSERT(threads >= 1 && threads <= claimed + 1);
  if (threads != team.count || domains_change(team, threads))
    resize(team, threads);
  if (team.cancelled.load(std::memory_order_relaxed))
    after_cancellation(team);

  team.creator = &creator;
  team.level = outer.level + 1;
  team.active_level = outer.active_level + (threads > 1);
  team.icv = icvs;
  if (threads <= claimed) [[unlikely]] // fewer could be started
    release_threads(team, claimed + 1 - threads);
  team.icv.bind = static_cast<uint8_t>(inside);
  enter_level(team.icv, team.level);
  Member& master = *team.members[0];
  master.start.body = body;
  master.start.argument = argument;
  master.start.default_allocator = creator.start.default_allocator;
  bool crowded = count_running(threads - 1) > settings.threads_at_once;
  set_if_changed(team.crowded, crowded);
  if (crowded) [[unlikely]]
    begin_crowded(team, threads);
  else
    set_if_changed(team.flat, false);
  workshare_region_start(team);
  if (prepare)
    prepare(team, prepare_argument);

  ++master.counters.regions_begun;
  XOMP_ASSERT(self == &creator && begun(master)); // so far: the region before
  master.region_seen = next_region(team);
  if (threads > 1) {
    set_if_changed(team.left_to_searchers, false);
    if (threads > TaskTeam::kManyStacks)
      team.stacks_in_use.remove_all();
    forget_stack(master);
    announce(master);
  }
  begin_member(master);
}

void region_end() {
  Member& master = static_cast<Member&>(*self);
  Team& team = *master.team;
  XOMP_ASSERT(&master == team.members[0] && team.creator && begun(master));
  if (master.track) [[unlikely]]
    join_traced(master);
  else
    join(master);
  // Acquire: as in `see_off_visitors`.
  if (team.visitors.load(std::memory_order_acquire) != 0) [[unlikely]]
    see_off_visitors(team);
  ++master.counters.regions_ended;
  if (master.count > 1) {
    XOMP_ASSERT(running.load(std::memory_order_relaxed) >= master.count - 1);
    running.fetch_sub(master.count - 1, std::memory_order_relaxed);
    release_threads(team, master.count - 1);
  }
  Thread& thread = *master.thread;
  thread.places = team.creator->partition;
  act_in(*team.creator);
  keep_team(thread, team);
}

namespace {

/// Starts a region that listeners are told of, if there are any.
void region_start_traced(void (*body)(void*), void* argument, unsigned bind,
                         trace::RegionCall&& call, void (*prepare)(Team&, void*),
                         void* prepare_argument) {
  struct Traced {
    Member& creator;
    const trace::RegionCall& call;
    void (*prepare)(Team&, void*);
    void* with;
  } traced{me(), call, prepare, prepare_argument};
  if (!traced.creator.track && trace::listening(trace::kTool)) [[unlikely]]
    update_tracing_now(traced.creator); // it did not wait for the tool's start
  auto begin = [](Team& team, void* with) {
    auto& traced = *static_cast<Traced*>(with);
    if (traced.prepare)
      traced.prepare(team, traced.with);
    if (traced.creator.track)
      trace_region_begins(team, traced.creator, traced.call);
  };
  unsigned requested = call.threads;
  if (requested == 0) // what the ICVs ask for, however many there will be
    call.threads = static_cast<unsigned>(icv(traced.creator).num_threads);
  region_start(body, argument, requested, bind, begin, &traced);
  // Where the program calls the body; callers in this file say afterwards where they do.
  trace_frame(static_cast<Member&>(*self), call.site.frame);
}

} // namespace

void run_parallel(void (*body)(void*), void* argument, unsigned threads, unsigned bind,
                  void (*prepare)(Team&, void*), void* prepare_argument) {
  region_start(body, argument, threads, bind, prepare, prepare_argument);
  body(argument);
  region_end();
}

void carry(Team& team, void* words) { team.members[0]->start.carry(words); }

void parallel_traced(void (*body)(void*), void* argument, unsigned threads, unsigned bind,
                     const trace::CallSite& site, void (*prepare)(Team&, void*),
                     void* prepare_argument) {
  region_start_traced(body, argument, bind, {site, threads, false}, prepare, prepare_argument);
  trace_frame(static_cast<Member&>(*self), __builtin_dwarf_cfa());
  body(argument);
  region_end();
}

void start_parallel(void (*body)(void*), void* argument, unsigned threads,
                    const trace::CallSite& site, void (*prepare)(Team&, void*),
                    void* prepare_argument) {
  region_start_traced(body, argument, 0, {site, threads, true}, prepare, prepare_argument);
  static_cast<Member&>(*self).end_is_called = true;
}

void end_parallel() {
  if (!std::exchange(static_cast<Member&>(*self).end_is_called, false)) [[unlikely]]
    sys::fatal("the end of a parallel region without its beginning");
  region_end();
}

void repair_regions_after_fork(Member* member) {
  running.store(0, std::memory_order_relaxed);
  auto repair = [](Team& team) {
    team.busy.store(1, std::memory_order_relaxed);
    team.visitors.store(0, std::memory_order_relaxed);
    team.asleep.store(0, std::memory_order_relaxed);
    team.sleepers.reset_moves();
    team.asks.reset();
    team.idle_workers.store(0, std::memory_order_relaxed);
    team.searchers.store(0, std::memory_order_relaxed);
    team.external_load.reset_after_fork();
    team.overflow.lock.free_after_fork();
    team.stacks_lock.free_after_fork();
    team.block_depots.reset();
    for (int i = 0; i < team.count; ++i) {
      Member& each = *team.members[i];
      each.wake_word.store(0, std::memory_order_relaxed); // nobody else sleeps
      each.climbs.reset_after_fork();
      each.stack.after_fork();
      each.exclusion_lock.free_after_fork();
      if (each.policy->after_fork)
        each.policy->after_fork(each);
    }
    workshare_after_fork(team);
  };
  if (!member)
    return;
  for (Member* each = member; each; each = each->team->creator)
    repair(*each->team);
  // Another one than the outermost of these when the thread is inside a target region.
  if (member->thread->initial)
    repair(*member->thread->initial->team);
}

} // namespace xomp
