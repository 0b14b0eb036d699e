// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "task/steal.h"

#include <climits>

#include "sys/assert.h"
#include "sys/asymmetric_fence.h"
#include "sys/delay.h"
#include "sys/ticks.h"
#include "task/ask.h"
#include "task/backoff.h"
#include "task/environment.h"
#include "task/full_frame.h"
#include "task/guest.h"
#include "task/wakeup.h"

namespace xomp {
namespace {

/// The first task that the search allows, the victim's stack being locked; null: there is none.
/// `oldest`: nothing pending lies below it.
Slot* choose(const Worker& thief, SplitStack& from, const Search& search, bool& oldest) {
  XOMP_ASSERT(from.is_locked());
  uint32_t few = search.few();
  Slot* end = from.end();
  Slot* slot = SplitStack::next_pending(from.begin(), end);
  // Asked under the lock: a task of the next region is left to those that have begun that.
  if (slot >= end || !begun(thief))
    return nullptr;
  oldest = true;
  while (slot < end && !search.scope.anything() &&
         !search.scope.includes(nearest_full_frame(from.frame_of(slot)))) {
    if (--few == 0)
      return nullptr;
    oldest = false;
    // What lies above the next frame is another one's.
    while (slot < end && !Slot::is_frame(slot->link.load(std::memory_order_acquire)))
      ++slot;
    slot = SplitStack::next_pending(slot, end);
  }
  return slot < end ? slot : nullptr;
}

/// Takes up to `most` siblings from `slot` on, children of `frame`'s task, and enters the theft
/// where others rely on it; `mark`: above which they come to lie on the thief's stack, as slots
/// that are gone, with their kind in `depth` (`share_rest`). Its own public part may reach up to
/// there (`in_order`), and others look at that. How many.
uint32_t take_siblings(Worker& victim, Worker& thief, Slot* frame, Slot* slot, uint32_t most,
                       Slot* mark) {
  XOMP_ASSERT(victim.stack.is_locked() && &victim != &thief && mark == thief.stack.top() + 1);
  Slot* end = victim.stack.end();
  uint32_t count = 0, children = 0;
  for (; count < most && slot + count < end; ++count) {
    uintptr_t kind = SplitStack::take(slot + count, mark + 1 + count);
    if (!kind)
      break;
    mark[1 + count].depth = static_cast<uint32_t>(kind);
    children += kind == Slot::kPending;
  }
  if (count == 0)
    return 0;
  sys::delay();
  bool again = frame->body == guest_mark;
  FullFrame& parent = again ? *root_of(*frame).parent : full_frame_at(frame, victim, thief);
  Guest& guest = guest_of(*mark);
  guest = Guest{};
  guest.env = &guest.own_env;
  guest.parent = &parent;
  guest.victim = &victim;
  guest.end = mark + 1 + count;
  inherit_env(guest.own_env, *env_at(frame));
  // Relaxed, all of them: the owner cannot miss these tasks before the lock is given back.
  if (!again) // else they are counted
    parent.stolen.fetch_add(children, std::memory_order_relaxed);
  parent.links.fetch_add(1, std::memory_order_relaxed);
  if (Taskgroup* group = guest.own_env.group)
    group->remote.fetch_add(1, std::memory_order_relaxed);
  victim.stack.guests.fetch_add(1, std::memory_order_relaxed);
  victim.stack.make_dirty();
  return count;
}

/// The thief is about to run the oldest one: that stays taken (`run_stolen`). Whoever has nothing
/// to do may take the others. Were the first one public, a thief that loses its processor now would
/// give it away again, perhaps to the creator, for which it may wait: that looks here in a wait for
/// some others, as all that it left is taken.
void share_rest(SplitStack& stack, Slot* mark, uint32_t count, bool small) {
  Slot* end = mark + 1 + count;
  stack.lock();
  for (Slot* each = mark + 2; each != end; ++each)
    each->link.store(each->depth, std::memory_order_release); // release: as in `push`
  stack.head.store(end, std::memory_order_release);
  // Small ones are over before somebody has come: by force only.
  if (stack.all_public || (count > 1 && !small))
    stack.open_up_to(end);
  stack.unlock();
}

/// Who has created the task in `slot` above `frame` on the victim's stack, which is locked: the
/// victim, unless it has stolen the task itself.
Worker& creator_of(const Slot* slot, Slot* frame, Worker& victim) {
  bool stolen = frame->body == guest_mark && slot < guest_of(*frame).end;
  return stolen ? *guest_of(*frame).creator : victim;
}

/// Takes from `victim`, whose stack the caller has locked; unlocks it.
Slot* take_locked(Worker& thief, Worker& victim, const Search& search) {
  SplitStack& from = victim.stack;
  SplitStack& to = thief.stack;
  bool oldest = false;
  Slot* slot = choose(thief, from, search, oldest);
  Slot* mark = to.top() + 1;
  // One at least: a worker that was called comes for what it was called for.
  int64_t room =
      std::min<int64_t>(to.last - mark - 3, std::max<int64_t>(room_besides_frames(to), 1));
  if (!slot || room < 1) {
    from.unlock();
    return nullptr;
  }
  Slot* frame = from.frame_of(slot);
  Worker& creator = creator_of(slot, frame, victim);
  auto most =
      static_cast<uint32_t>(std::min<int64_t>(worth_taking(creator, from.end() - slot + 1), room));
  // They are not worth being made public one by one.
  if (thief.backoff.rest > 0)
    from.show_less();
  Sleepers& sleepers = thief.task_team->sleepers;
  sleepers.move_begins();
  uint32_t count = take_siblings(victim, thief, frame, slot, most, mark);
  sys::delay();
  if (oldest)
    from.move_tail(slot + count, frame);
  else
    from.holes = true;
  // Relaxed: a thread that is about to sleep comes across the rest itself.
  bool more = thief.task_team->asleep.load(std::memory_order_relaxed) > 0 &&
              from.has_pending_from(slot + count);
  from.unlock();
  if (count == 0) {
    sleepers.move_ends();
    return nullptr;
  }
  // The theft is counted in the victim's `guests`.
  make_busy(thief);
  sys::delay();
  guest_of(*mark).creator = &creator;
  mark->body = guest_mark;
  mark->depth = to.current->depth + 1;
  mark->link.store(0, std::memory_order_relaxed);
  bool small = are_small(creator, count);
  share_rest(to, mark, count, small);
  thief.task_team->stacks_in_use.note(thief.id);
  sleepers.move_ends();
  thief.counters.count_theft(count);
  if (more || count > 1)
    wake_for(thief, victim, *guest_of(*mark).parent, small);
  return mark;
}

/// At what a thief looks.
enum class Reach : uint8_t {
  kOfAway, ///< what is public, of owners that are away
  kPublic, ///< what is public
  kAll,    ///< also what its owner has not made public
};

/// Ticks without a find after which a thief takes what others keep to themselves, and from one such
/// force in the team to the next: each interrupts all of its processors.
constexpr int64_t kPatience = 20 * sys::kTicksOfMicrosecond;

/// Whether nobody has forced for a while. Relaxed: a hint.
bool may_force(const Worker& thief) {
  return sys::ticks() >= thief.task_team->next_force.load(std::memory_order_relaxed);
}

/// Looks at one stack. What it looks like without the lock says nothing for sure: the owner may be
/// making private what was public.
Slot* look_at(Worker& thief, Worker& victim, const Search& search, Reach reach) {
  SplitStack& from = victim.stack;
  bool thorough = search.thorough && !search.leaves_tiny;
  if (!thorough && leaves_alone(thief, victim))
    return nullptr;
  bool force = search.thorough;
  if (!force && !from.looks_public()) {
    // One at most in a look: the wait may be over, and what is forced may not be for it.
    force =
        reach == Reach::kAll && from.keeps_pending(false) && may_force(thief) && stays_away(from);
    if (!force)
      return nullptr;
  }
  if (reach == Reach::kOfAway && !from.owner_is_away())
    return nullptr;
  // Not before: many threads never come across anything.
  if (!thief.stack.first && !lay_out_stack(thief))
    return nullptr;
  if (search.thorough)
    from.lock();
  else if (!from.try_lock())
    return nullptr;
  // Still asked: it has created nothing since, and is away.
  bool away = from.is_asked();
  // Not for frames alone: a heavy fence interrupts every processor of the team.
  if (force && (away || search.thorough) && from.keeps_pending(search.thorough)) {
    if (away && !search.thorough)
      from.note_away();
    from.force();
    thief.task_team->next_force.store(sys::ticks() + kPatience, std::memory_order_relaxed);
  }
  return take_locked(thief, victim, search);
}

/// Looks at `most` stacks, first where there was something last.
Slot* look_around(Worker& thief, const Search& search, Reach reach, int most) {
  Slot* mark = nullptr;
  thief.task_team->stacks_in_use.visit_from(thief.steals_from, [&](int id) {
    XOMP_ASSERT(id < thief.count);
    if (id == thief.id)
      return false;
    mark = look_at(thief, peer_of(thief, id), search, reach);
    thief.steals_from = mark ? id : after(id, thief);
    return mark || --most == 0;
  });
  return mark;
}

/// The stack whose oldest public task has the fewest others around it; null: nothing is public.
Worker* shallowest(const Worker& thief) {
  Worker* best = nullptr;
  uint32_t depth = UINT32_MAX;
  thief.task_team->stacks_in_use.visit_from(thief.steals_from, [&](int id) {
    Worker& victim = peer_of(thief, id);
    if (id != thief.id && id != thief.backoff.creator && victim.stack.looks_public() &&
        victim.stack.public_depth() < depth) {
      best = &victim;
      depth = victim.stack.public_depth();
    }
    return false;
  });
  return best;
}

/// As for those in rings: large ones that create others are begun before what these create.
Slot* steal_shallowest(Worker& thief, const Search& search) {
  bool ordered = search.scope.anything() && ran_large(thief) && thief.policy->in_place;
  Worker* victim = ordered ? shallowest(thief) : nullptr;
  return victim ? look_at(thief, *victim, search, Reach::kPublic) : nullptr;
}

} // namespace

FullFrame* parent_of_stolen(Slot* mark) { return guest_of(*mark).parent; }

// Nothing is told of it: where somebody listens no task lies on a stack (`choose_stack`).
Slot* steal(Worker& worker, const Search& search) {
  XOMP_ASSERT(self == &worker);
  constexpr uint32_t kAskEvery = 16; // looks: two to thirty microseconds
  constexpr int kFewStacks = 8, kMoreStacks = 32;
  if (worker.count == 1)
    return nullptr;
  if (search.thorough) {
    if (!search.leaves_tiny)
      worker.backoff.creator = Backoff::kNobody;
    ask_all_for_certain(worker);
    return worker.task_team->sleepers.look_thoroughly(
        [&] { return look_around(worker, search, Reach::kAll, INT_MAX); });
  }
  bool resting = rests(worker);
  Slot* mark = resting ? nullptr : steal_shallowest(worker, search);
  if (!mark)
    mark = look_around(worker, search, resting ? Reach::kOfAway : Reach::kPublic, kFewStacks);
  if (mark) {
    worker.idle_since = 0;
    return mark;
  }
  if (resting || ++worker.looks % kAskEvery != 0)
    return nullptr;
  int64_t now = sys::ticks();
  if (worker.idle_since == 0)
    worker.idle_since = now;
  if (now - worker.idle_since >= kPatience && sys::has_asymmetric_fence() && may_force(worker)) {
    // They do not answer: they are in the middle of something long.
    worker.idle_since = now;
    mark = look_around(worker, search, Reach::kAll, kMoreStacks);
  }
  if (!mark)
    ask_all(worker);
  return mark;
}

} // namespace xomp
