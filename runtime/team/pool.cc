// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "team/pool.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "conf/settings.h"
#include "place/start_elsewhere.h"
#include "sys/assert.h"
#include "sys/asymmetric_fence.h"
#include "sys/delay.h"
#include "sys/futex.h"
#include "sys/headroom.h"
#include "sys/memory.h"
#include "sys/report.h"
#include "sys/stack.h"
#include "task/activity.h"
#include "task/frame.h"
#include "task/full_frame.h"
#include "task/group.h"
#include "task/run.h"
#include "task/wait_loop.h"
#include "team/barrier.h"
#include "team/barrier_kinds.h"
#include "team/constructs.h"
#include "team/member.h"
#include "team/thread.h"
#include "team/tracing.h"
#include "team/watchdog.h"

namespace xomp {
namespace {

Member& add_member(Team& team, int id) {
  XOMP_ASSERT(id >= 0 && id < team.capacity && !team.members[id]);
  auto* member = sys::create<Member>();
  member->team = &team;
  member->task_team = &team;
  member->blocks.depots = &team.block_depots;
  member->id = id;
  member->peers = team.ports;
  member->sleepers = &team.sleepers;
  root_of(member->ground).env = &member->implicit_env;
  member->stale = drop_if_stale;
  member->depth = depth_of;
  team.members[id] = member;
  team.ports[id] = member;
  if (settings.counts())
    enlist(member->counters, &team, id);
  return *member;
}

template <class T> void enlarge(T*& array, int used, int capacity) {
  T* fresh = static_cast<T*>(sys::allocate_zeroed(sizeof(T) * capacity));
  for (int i = 0; i < used; ++i)
    fresh[i] = array[i];
  sys::release(array);
  array = fresh;
}

/// Room for `capacity` members. Nobody but the master may be looking.
void reserve(Team& team, int capacity) {
  if (capacity <= team.capacity)
    return;
  Unobserved change;
  int used = team.capacity;
  enlarge(team.members, used, capacity);
  enlarge(team.ports, used, capacity);
  team.sleepers.reserve(capacity);
  team.stacks_in_use.reserve(capacity);
  team.capacity = capacity;
  for (int i = 0; i < used; ++i) {
    if (team.members[i])
      team.members[i]->peers = team.ports;
  }
}

/// The calling thread is done with the team, and a stranger to OpenMP from here on. Nobody waits
/// for what is left of its life: destructors of the program's, which may wait for anything.
void leave(Team& team) {
  act_in(stranger);
  std::atomic<uint32_t>& leaving = team.leaving;
  XOMP_ASSERT(leaving.load(std::memory_order_relaxed) > 0);
  // Release: the team is freed after all that its members did with it. Once the last one has left
  // it may be gone: only the address is used then.
  if (leaving.fetch_sub(1, std::memory_order_release) == 1)
    sys::futex_wake(leaving);
}

/// Until all have left that were told to.
void see_off_members(Team& team) {
  // Acquire: see `leave`.
  while (uint32_t left = team.leaving.load(std::memory_order_acquire))
    sys::futex_wait(team.leaving, left);
}

/// Until the member is called, without a look at anything of the team.
void wait_apart(Member& member) {
  wait_quietly(member, [&] { return is_called(member); });
}

/// The member looks at nothing of the team any more: the master may change it, the array of members
/// too.
void park(Member& member) {
  Team& team = *member.team;
  Member& master = *team.members[0];
  sys::delay();
  XOMP_ASSERT(team.leaving.load(std::memory_order_relaxed) > 0);
  // Release: the master changes it after all looks.
  if (team.leaving.fetch_sub(1, std::memory_order_release) == 1)
    master.bell.ring();
  Activity parked(member, ActivityKind::kParked);
  wait_apart(member);
}

} // namespace

/// What a thread of a team runs. Not of the unnamed namespace: sanitizers and debuggers show the
/// name in the stacks of the program's functions.
extern "C" void* xomp_worker(void* argument) {
  auto& member = *static_cast<Member*>(argument);
  Thread thread;
  thread.id = pthread_self();
  thread.base = __builtin_dwarf_cfa();
  thread.stack_limit = sys::stack_pointer() - member.stack_bytes / 2;
  member.thread = &thread;
  end_detour(member.detour);
  act_in(member);
  note_thread(member);
  thread.bound_place = member.place;
  Team& team = *member.team;
  {
    Activity here(member, ActivityKind::kStart);
    wait_apart(member);
  }
  for (;;) {
    XOMP_ASSERT(self == &member &&
                member.start.go.load(std::memory_order_relaxed) > member.region_seen);
    // Relaxed, both: `go` was acquired.
    member.region_seen = member.start.go.load(std::memory_order_relaxed);
    if (team.leaving.load(std::memory_order_relaxed) != 0) [[unlikely]] {
      if (!member.start.body)
        break;
      park(member);
      continue;
    }
    __builtin_prefetch(member.start.argument); // on the way while this member begins
    announce(member);
    forget_stack(member);
    begin_member(member);
    member.start.body(member.start.argument);
    wait_for_region(member);
  }
  end_idle_teams(thread);
  leave_track(thread);
  leave(team);
  return nullptr;
}

namespace {

void warn_of_smaller_teams(int error) {
  static std::atomic<bool> warned{false};
  if (!warned.exchange(true, std::memory_order_relaxed))
    sys::warn("could not create more threads (%s); teams are smaller than asked for",
              std::strerror(error));
}

void warn_of_unbound_threads(int error) {
  static std::atomic<bool> warned{false};
  if (!warned.exchange(true, std::memory_order_relaxed))
    sys::warn("could not bind a thread to its place (%s); it starts on any", std::strerror(error));
}

} // namespace

std::size_t thread_stack_size() {
  constexpr std::size_t kUnlimited = std::size_t{64} << 20; // libomp's
  if (settings.stack_size)
    return settings.stack_size;
  pthread_attr_t attributes;
  std::size_t usual = 0;
  pthread_attr_init(&attributes);
  pthread_attr_getstacksize(&attributes, &usual);
  pthread_attr_destroy(&attributes);
  // The C library gives two megabytes then, less than with the usual limit, which is not what
  // whoever took it off had in mind.
  bool unlimited = !sys::addresses_are_limited() && sys::stacks_are_unlimited();
  return unlimited ? std::max(usual, kUnlimited) : usual;
}

namespace {

/// What member `id` allocates before long: its slabs of tasks, a stack and a large ring for them,
/// rows for as many members.
std::size_t needs_of(int id) {
  constexpr std::size_t kSlab = 128 << 10, kRing = 256 << 10, kInRow = 32;
  constexpr std::size_t kUsualStack = std::size_t{8} << 20; // of a thread
  std::size_t slots = slots_where_limited(settings.stack_size ? settings.stack_size : kUsualStack);
  return kSlab + kRing + slots * sizeof(Slot) + static_cast<std::size_t>(id) * kInRow;
}

/// `last`: the processor that the thread started before it has got (`start_in_turn`); null: there
/// are processors for all threads of the team.
[[gnu::noinline, gnu::cold]] bool start_thread(Member& member, int* last) {
  sys::has_asymmetric_fence(); // asking costs most when there are threads already
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED); // see `leave`
  pthread_attr_setstacksize(&attributes, thread_stack_size());
  pthread_attr_getstacksize(&attributes, &member.stack_bytes);
  // Starting on the right place puts the thread's stack on the right memory.
  bool placed = member.place >= 0 && bind_attributes(&attributes, member.place);
  if (member.place < 0)
    member.detour = last ? start_in_turn(&attributes, *last) : start_elsewhere(&attributes);
  else
    member.detour = Detour();
  pthread_t thread;
  int error = pthread_create(&thread, &attributes, xomp_worker, &member);
  if (error != 0 && (placed || member.detour.any())) { // perhaps not allowed to choose
    member.detour = Detour();
    start_anywhere(&attributes);
    int first_error =
        std::exchange(error, pthread_create(&thread, &attributes, xomp_worker, &member));
    if (placed && error == 0)
      warn_of_unbound_threads(first_error);
  }
  pthread_attr_destroy(&attributes);
  if (error == 0) {
    member.counters.threads = 1;
    return true;
  }
  member.stack_bytes = 0;
  warn_of_smaller_teams(error);
  return false;
}

void place_members(Team& team, int threads, unsigned bind) {
  if (place_count() == 0 || threads < 1)
    return;
  team.placed_by = static_cast<uint8_t>(bind);
  if (bind == kBindFalse)
    return;
  for (int i = 0; i < threads; ++i) {
    Member& member = team.members[i] ? *team.members[i] : add_member(team, i);
    member.partition = assign_place(master_of(team).places, static_cast<int>(bind), threads, i);
    member.place = member.partition.place;
  }
}

void free_member(Member* member) {
  if (!member)
    return;
  free_all_full_frames(*member);
  free_group(*member);
  member->policy->close(*member);
  free_stack(*member);
  member->heap.end();
  member->blocks.empty();
  if (settings.counts())
    delist(member->counters);
  sys::destroy(member);
}

} // namespace

void free_team(Team& team) {
  unwatch(team);
  workshare_team_end(team);
  // First all of them: what one has kept may be of tasks below another's.
  for (int i = 0; i < team.capacity; ++i) {
    if (team.members[i])
      end_member(*team.members[i]);
  }
  for (int i = 0; i < team.capacity; ++i)
    free_member(team.members[i]);
  team.block_depots.empty();
  team.sleepers.end();
  team.stacks_in_use.end();
  sys::release(team.members);
  sys::release(team.ports);
  sys::destroy(&team);
}

namespace {

[[gnu::cold]] Team& new_team(Thread& thread) {
  auto* team = sys::create<Team>();
  team->count = 0;
  reserve(*team, 1);
  Member& master = add_member(*team, 0);
  master.thread = &thread;
  note_thread(master);
  watch(*team);
  return *team;
}

/// Threads of all idle teams of nested regions. Each thread keeps a team for each depth, so in a
/// recursion of regions there would soon be as many threads as there were ever threads at each
/// depth, however few work at a time. Relaxed throughout: nothing but the number is shared.
std::atomic<int> idle_nested{0};
constexpr int kMostIdleNested = 256;
/// Teams that a thread keeps for regions of one thread, or of several: in a recursion of serial
/// regions it would keep one for each depth that it ever reached. Those of the first levels come on
/// top.
constexpr int kMostIdle = 32;
Team*& idle_teams_like(Thread& thread, const Team& team) {
  return team.capacity == 1 ? thread.idle_serial_teams : thread.idle_teams;
}
bool is_nested(const Team& team) { return team.active_level > 1; }

bool has_thread(const Member* member) { return member && member->stack_bytes != 0; }

/// Those that it has besides its master.
[[gnu::cold]] int threads_of(const Team& team) {
  return static_cast<int>(
      std::count_if(team.members + 1, team.members + team.capacity, has_thread));
}

bool keeps_many(Thread& thread, const Team& team) {
  int count = 0;
  for (const Team* idle = idle_teams_like(thread, team); idle; idle = idle->next_idle)
    ++count;
  return count >= kMostIdle;
}

/// Counts its threads among the idle ones, also if it says that these are too many: `end_team`
/// takes them off again.
bool count_as_idle(const Team& team) {
  int threads = threads_of(team);
  int all = idle_nested.fetch_add(threads, std::memory_order_relaxed) + threads;
  return all <= std::max(kMostIdleNested, 2 * settings.threads_at_once);
}

/// Of a region inside another.
[[gnu::noinline, gnu::cold]] bool may_keep(Thread& thread, const Team& team) {
  if (is_nested(team) && !count_as_idle(team))
    return false;
  return team.level <= kMostIdle || !keeps_many(thread, team);
}
/// Returns it, for a tail call.
[[gnu::noinline, gnu::cold]] Team& no_longer_idle(Team& team) {
  XOMP_ASSERT(idle_nested.load(std::memory_order_relaxed) >= threads_of(team));
  idle_nested.fetch_sub(threads_of(team), std::memory_order_relaxed);
  return team;
}

} // namespace

Team& take_team(Thread& thread, bool serial) {
  Team*& idle = serial ? thread.idle_serial_teams : thread.idle_teams;
  Team* team = idle;
  if (!team) [[unlikely]]
    return new_team(thread);
  XOMP_ASSERT(&master_of(*team) == &thread && (team->capacity == 1) == serial);
  idle = team->next_idle;
  return is_nested(*team) ? no_longer_idle(*team) : *team;
}

void keep_team(Thread& thread, Team& team) {
  XOMP_ASSERT(&master_of(team) == &thread && !team.initial);
  XOMP_ASSERT(team.leaving.load(std::memory_order_relaxed) == 0);
  if (team.level > 1 && !may_keep(thread, team)) [[unlikely]]
    return end_team(team);
  Team*& idle = idle_teams_like(thread, team);
  XOMP_ASSERT(idle != &team);
  team.next_idle = idle;
  idle = &team;
}

int staff_team(Team& team, int threads, unsigned bind) {
  if (threads > team.capacity) {
    park_team(team);
    reserve(team, threads);
  }
  place_members(team, threads, bind);
  bool crowded = threads > settings.threads_at_once;
  int last_processor = -1;
  uint64_t region = team.region.load(std::memory_order_relaxed);
  sys::Headroom headroom;
  int held_for = 0; // members
  for (int i = 1; i < threads; ++i) {
    Member* member = team.members[i];
    if (has_thread(member))
      continue;
    std::size_t needs = 0;
    while (held_for <= i)
      needs += needs_of(held_for++);
    if (!headroom.grow(needs)) {
      warn_of_smaller_teams(ENOMEM);
      return i;
    }
    if (!member)
      member = &add_member(team, i);
    member->region_seen = region;
    member->start.go.store(region, std::memory_order_relaxed);
    if (!start_thread(*member, crowded ? &last_processor : nullptr))
      return i;
  }
  return threads;
}

namespace {

/// Calls so many of the members, beginning with number 1, to leave the team's words.
void call_off(Team& team, int threads) {
  XOMP_ASSERT(team.leaving.load(std::memory_order_relaxed) == 0);
  // Relaxed, and before the first is told: the `go` that tells a member has release order.
  team.leaving.store(static_cast<uint32_t>(threads), std::memory_order_relaxed);
  uint64_t number = next_region(team);
  team.members[0]->region_seen = number;
  for (int i = 1; threads > 0; ++i) {
    Member* member = team.members[i];
    if (!has_thread(member))
      continue;
    --threads;
    member->start.go.store(number, std::memory_order_release);
    member->bell.ring();
  }
}

} // namespace

void park_team(Team& team) {
  if (team.count <= 1)
    return;
  Member& master = *team.members[0];
  Activity here(master, ActivityKind::kParking);
  call_off(team, team.count - 1);
  // Acquire: see `park`.
  wait_quietly(master, [&] { return team.leaving.load(std::memory_order_acquire) == 0; });
  team.count = 0;
}

uint64_t next_region(Team& team) {
  // Relaxed: only the master writes it, and whoever compares with it has acquired what follows
  // (`begun`).
  uint64_t region = team.region.load(std::memory_order_relaxed) + 1;
  team.region.store(region, std::memory_order_relaxed);
  return region;
}

void announce(Member& member) {
  const Team& team = *member.team;
  auto call = [&](Member& other) {
    XOMP_ASSERT(has_thread(&other) &&
                other.start.go.load(std::memory_order_relaxed) < member.region_seen);
    sys::delay();
    other.start.take_over(member.start);
    // Release: the other one sees the region's description.
    other.start.go.store(member.region_seen, std::memory_order_release);
    return true;
  };
  auto ring = [](Member& other) {
    other.bell.ring_after_fence();
    return true;
  };
  auto for_each_called = [&](auto visit) {
    if (!team.flat)
      return void(for_each_child(member, visit));
    // Whoever passes it on would have to wait for a processor first.
    for (int id = 1; member.id == 0 && id < team.count; ++id)
      visit(*team.members[id]);
  };
  for_each_called(call);
  // One for all bells (Bell::ring): the stores before it wait for their lines together.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  for_each_called(ring);
}

void end_team(Team& team) {
  if (is_nested(team))
    no_longer_idle(team);
  XOMP_ASSERT(!team.initial);
  for (int i = 1; i < team.capacity; ++i) {
    if (team.members[i])
      team.members[i]->start.body = nullptr;
  }
  call_off(team, threads_of(team));
  see_off_members(team);
  free_team(team);
}

void reset_idle_threads() { idle_nested.store(0, std::memory_order_relaxed); }

void set_initial_icvs(Team& team) {
  team.icv = settings.icv;
  team.members[0]->start.default_allocator = settings.icv.default_allocator;
}

Team& new_initial_team(Thread& thread) {
  Team& team = new_team(thread);
  team.count = 1;
  team.initial = true;
  team.root = &team;
  set_initial_icvs(team);
  workshare_region_start(team);
  return team;
}

void free_initial_team(Team& team) {
  XOMP_ASSERT(team.initial && team.count == 1);
  see_off_visitors(team);
  free_team(team);
}

} // namespace xomp
