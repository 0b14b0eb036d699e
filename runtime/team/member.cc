// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "team/member.h"

#include "conf/settings.h"
#include "sys/assert.h"
#include "sys/asymmetric_fence.h"
#include "task/environment.h"
#include "task/frame.h"
#include "task/full_frame.h"
#include "task/overflow.h"
#include "team/affinity.h"
#include "team/constructs.h"
#include "team/tracing.h"

namespace xomp {
namespace {

/// Inline: each region begins with it.
[[gnu::always_inline]] inline void end_implicit_task(Member& member) {
  XOMP_ASSERT(at_root(member));
  if (FullFrame* full_frame = current_full_frame(member)) {
    member.stack.current->link.store(0, std::memory_order_relaxed);
    if (leave_children(member, *full_frame))
      free_or_keep(member, *full_frame);
  }
  release_env(member.implicit_env);
}

[[gnu::noinline, gnu::cold]] void release_memory(Member& member) {
  member.regions_before_trim = kRegionsPerTrim;
  // What is on the overflow list is stale, and cannot be freed while it is there.
  clear_overflow(member.task_team->overflow);
  trim(member);
  if (member.id != 0)
    return;
  Team& team = *member.team;
  team.block_depots.empty();
  // Those for which the team has no place at present begin no regions.
  for (int i = team.count; i < team.capacity; ++i) {
    Member* other = team.members[i];
    if (!other || other->regions_before_trim == kRegionsPerTrim) // was trimmed since
      continue;
    other->regions_before_trim = kRegionsPerTrim;
    end_implicit_task(*other);
    trim(*other);
  }
}

/// Whether the thread has not shown itself in such a team yet: one of another size, or whose
/// threads have other places. All members find the same, so all show themselves again if one
/// changes (OpenMP 5.2, section 21.2.3).
bool is_new_to_show(const Member& member) {
  const Thread& thread = *member.thread;
  const Team& team = *member.team;
  const PlacePartition &now = team.creator->partition, &before = thread.shown_from;
  return thread.shown_level != team.level || thread.shown_count != member.count ||
         thread.shown_bind != team.placed_by || now.first != before.first ||
         now.last != before.last || now.place != before.place;
}

void take_place(Member& member) {
  Thread& thread = *member.thread;
  if (member.place >= 0) {
    if (thread.bound_place != member.place && bind_thread(member.place))
      thread.bound_place = member.place;
    thread.places = member.partition;
  } else {
    member.partition = thread.places;
  }
  // Not of a thread alone in its team, as on libgomp: it is where it was, and has been shown.
  if (settings.display_affinity && member.team->level > 0 && member.count > 1 &&
      is_new_to_show(member)) {
    thread.shown_level = member.team->level;
    thread.shown_count = member.count;
    thread.shown_bind = member.team->placed_by;
    thread.shown_from = member.team->creator->partition;
    display_affinity_in_region(member);
  }
}

[[gnu::noinline]] void begin_specially(Member& member) {
  if (place_count() || settings.display_affinity)
    take_place(member);
  update_tracing(member);
}

} // namespace

void begin_member(Member& member) {
  XOMP_ASSERT(begun(member) && !has_own(member) && member.stack.current == member.stack.top());
  end_implicit_task(member);
  if (--member.regions_before_trim == 0) [[unlikely]]
    release_memory(member);
  member.implicit_env = Env{nullptr, &member.team->icv, 0};
  member.env = &member.implicit_env;
  member.stack_limit = member.thread->stack_limit;
  if (member.team->initial) // its tasks are run at once, as long as the stack lasts
    member.gate.store(member.stack_limit, std::memory_order_relaxed);
  act_in(member);
  workshare_member_start(member);
  if (beginnings_ask.load(std::memory_order_relaxed)) [[unlikely]]
    begin_specially(member);
}

void choose_stack(Member& member) {
  member.defers_in_place = member.policy->in_place && !member.team->initial && !member.track &&
                           !settings.has_central_barrier();
  // What is public is not claimed on the fast path, where nothing is counted, nor pushed there,
  // where nothing is examined.
  member.stack.all_public = member.creates_slowly || settings.examines_tasks ||
                            (member.count > 1 && !sys::has_asymmetric_fence());
  // The next creation asks.
  member.stack.ask();
}

void end_member(Member& member) { end_implicit_task(member); }

} // namespace xomp
