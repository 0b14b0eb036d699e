// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "task/steal.h"

#include <climits>
#include <utility>

#include "sys/assert.h"
#include "sys/cpu.h"
#include "sys/delay.h"
#include "sys/ticks.h"
#include "task/activity.h"
#include "task/environment.h"
#include "task/frame.h"
#include "task/full_frame.h"
#include "task/group.h"
#include "task/wakeup.h"

namespace xomp {
namespace {

/// A theft, in the arguments of its mark on the thief's stack.
struct Guest : Root {
  Env own_env;
  Worker* victim;    ///< from whose stack; counted in its `guests`
  Worker* creator;   ///< of the tasks
  Slot* end;         ///< of the tasks that were stolen together
  uint32_t done;     ///< children of `parent` among them that were run here; not yet told to it
  uint32_t measured; ///< tasks that were; not yet told to their creator
  int64_t measured_ticks;
};
static_assert(sizeof(Guest) <= Slot::kRoom);

Guest& guest_of(Slot& mark) { return *reinterpret_cast<Guest*>(mark.arguments); }

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
/// that are gone, with their kind in `depth`. Its own public part may reach up to there
/// (`in_order`), and others look at that. How many.
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
  if (thief.rest > 0)
    from.show_less();
  Sleepers& sleepers = thief.tasks->sleepers;
  sleepers.move_begins();
  uint32_t count = take_siblings(victim, thief, frame, slot, most, mark);
  sys::delay();
  if (oldest)
    from.move_tail(slot + count, frame);
  else
    from.holes = true;
  // Relaxed: a thread that is about to sleep comes across the rest itself.
  bool more = thief.tasks->asleep.load(std::memory_order_relaxed) > 0 &&
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
  to.lock();
  for (Slot* each = mark + 1; each != mark + 1 + count; ++each)
    each->link.store(each->depth, std::memory_order_release); // release: as in `push`
  to.head.store(mark + 1 + count, std::memory_order_release);
  // Whoever has nothing to do may take from here what this worker does not come to. Small ones are
  // over before it has come: by force only.
  if (!small || to.all_public)
    to.open_up_to(mark + 1 + count);
  to.unlock();
  sleepers.move_ends();
  thief.counters.count_theft(count);
  if (more || count > 1)
    wake_for(victim, *guest_of(*mark).parent, small);
  return mark;
}

/// At what a thief looks.
enum class Reach : uint8_t {
  kOfAway, ///< what is public, of owners that are away
  kPublic, ///< what is public
  kAll,    ///< also what its owner has not made public
};

/// Whether the owner was asked, and does not answer for a microsecond or two: one that creates
/// small tasks all the time answers in between.
bool stays_away(const SplitStack& stack) {
  constexpr int kRounds = 64;
  for (int i = 0; i < kRounds; ++i) {
    if (!stack.is_asked())
      return false;
    sys::pause();
  }
  return true;
}

/// Ticks without a find after which a thief takes what others keep to themselves, and from one such
/// force in the team to the next: each interrupts all of its processors.
constexpr int64_t kPatience = 20 * sys::kTicksOfMicrosecond;

/// Whether nobody has forced for a while. Relaxed: a hint.
bool may_force(const Worker& thief) {
  return sys::ticks() >= thief.tasks->next_force.load(std::memory_order_relaxed);
}

void ask(Worker& thief, int from, int to);

/// Among how many workers those that are idle share what one alone would do.
int64_t share_of_idle(const Worker& thief) {
  constexpr int kMost = 16;
  return std::clamp(thief.tasks->idle_and_awake(), 1, kMost);
}

/// How often those that leave an owner what it has ask it, all together.
constexpr int64_t kAskAgain = 24 * sys::kTicksOfMicrosecond;

/// Whether the thief leaves what the victim has to it: not for so long that nobody would come for
/// what an owner keeps that does not answer.
bool leaves_alone(Worker& thief, const Worker& victim) {
  XOMP_ASSERT(thief.leaves_alone < thief.count);
  if (victim.id != thief.leaves_alone)
    return false;
  int64_t now = sys::ticks();
  bool over = now >= thief.leaves_alone_until || victim.stack.owner_is_away();
  if (!over && now >= thief.asks_again) {
    over = victim.stack.is_asked() || !are_tiny(victim);
    thief.asks_again = now + share_of_idle(thief) * kAskAgain;
    ask(thief, victim.id, victim.id + 1);
  }
  if (over)
    thief.leaves_alone = Worker::kNobody;
  return !over;
}

/// Looks at one stack. What it looks like without the lock says nothing for sure: the owner may be
/// making private what was public.
Slot* look_at(Worker& thief, Worker& victim, const Search& search, Reach reach) {
  SplitStack& from = victim.stack;
  bool thorough = search.thorough && !search.leaves_tiny;
  if (from.looks_unused() || (!thorough && leaves_alone(thief, victim)))
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
  if (!thief.stack.first && !make_room(thief))
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
    thief.tasks->next_force.store(sys::ticks() + kPatience, std::memory_order_relaxed);
  }
  return take_locked(thief, victim, search);
}

/// Asks workers `from` to below `to` to make something public, or to come when they have something.
/// One of them may be about to create a task without having seen that.
void ask(Worker& thief, int from, int to) {
  sys::SpanCount& asks = thief.tasks->asks;
  bool any = false;
  for (int i = from; i < to; ++i) {
    if (i == thief.id || (i == thief.leaves_alone && to > from + 1))
      continue;
    Worker& owner = peer_of(thief, i);
    // Its first task is asked for as it is.
    if (owner.stack.looks_unused())
      continue;
    // It may work off what it has for long before it creates again.
    if (!owner.stack.is_asked_at_claim() && !are_small(owner, 1) &&
        owner.stack.keeps_pending(false))
      owner.stack.ask_at_claim();
    if (owner.stack.is_asked(std::memory_order_acquire))
      continue;
    if (!std::exchange(any, true))
      asks.begin();
    owner.stack.ask();
  }
  if (any)
    asks.end();
}

void ask_all(Worker& thief) { ask(thief, 0, thief.count); }

/// Asks all. Afterwards whoever creates a task sees that it was asked, or the caller sees the task.
void ask_all_for_certain(Worker& thief, const Search& search) {
  if (!search.leaves_tiny)
    thief.leaves_alone = Worker::kNobody;
  ask_all(thief);
  TaskTeam& team = *thief.tasks;
  uint64_t asks = team.asks.so_far();
  bool all_over = !sys::SpanCount::any_open(asks);
  // Acquire: the fence of whoever says that it passed one for all of these.
  if (all_over && team.fenced_asks.load(std::memory_order_acquire) == asks)
    return;
  sys::heavy_fence();
  if (all_over)
    team.fenced_asks.store(asks, std::memory_order_release);
}

/// Looks at `most` stacks, first where there was something last.
Slot* look_around(Worker& thief, const Search& search, Reach reach, int most) {
  XOMP_ASSERT(thief.steals_from < thief.count);
  for (int n = 0; n < thief.count && most > 0; ++n) {
    int id = thief.steals_from;
    Worker& victim = peer_of(thief, id);
    if (&victim != &thief) {
      if (Slot* mark = look_at(thief, victim, search, reach))
        return mark;
      --most;
    }
    thief.steals_from = after(id, thief);
  }
  return nullptr;
}

/// The tasks of a theft that were run here are done.
void report_to_parent(Guest& guest) {
  if (guest.done == 0)
    return;
  FullFrame& parent = *guest.parent;
  Worker& owner = *parent.owner;
  XOMP_ASSERT(parent.stolen.load(std::memory_order_relaxed) >= guest.done);
  // Release: the waiter sees what they did.
  parent.stolen.fetch_sub(std::exchange(guest.done, 0), std::memory_order_release);
  owner.bell.ring();
}

/// Takes the oldest task of a theft for the thief itself, to the top of its stack; null: none is
/// left.
Slot* next_stolen(Worker& worker, Slot* mark, bool& child) {
  SplitStack& stack = worker.stack;
  Guest& guest = guest_of(*mark);
  Slot* frame = stack.top() + 1;
  stack.lock();
  Slot* slot = SplitStack::next_pending(mark + 1, guest.end);
  if (slot == guest.end) {
    stack.unlock();
    return nullptr;
  }
  child = SplitStack::take(slot, frame) == Slot::kPending;
  frame->link.store(0, std::memory_order_relaxed);
  stack.holes = true;
  stack.head.store(frame + 1, std::memory_order_release);
  stack.unlock();
  return frame;
}

/// Tells the tasks' creator what those took that were measured: not one by one, as it reads that
/// line whenever it creates one.
void report_size(Guest& guest) {
  if (guest.measured > 0)
    note_sizes(*guest.creator, guest.measured, guest.measured_ticks);
  guest.measured = 0;
  guest.measured_ticks = 0;
}

/// Runs it, and measures it, unless it has created tasks itself: those are what is measured then.
void run_measured(Worker& worker, Guest& guest, Slot* frame, Slot* outer) {
  expect_no_creation(frame);
  int64_t begin = sys::ticks();
  run_slot(worker, frame, outer);
  if (has_created(frame))
    return;
  int64_t took = sys::ticks() - begin;
  count_size(worker, took);
  ++guest.measured;
  guest.measured_ticks += took;
  if (guest.measured_ticks < kTicksOfTheft)
    return;
  report_size(guest);
  if (offers_large(*guest.creator))
    ask(worker, guest.creator->id, guest.creator->id + 1);
}

/// A theft is over, of so many tasks, from its begin on. Of tasks that take less than it costs to
/// come for them, these and those before if any were measured, the thief leaves the next ones to
/// their owners for a while, for longer each time; tiny ones to their creator for longer.
void weigh(Worker& thief, const Worker& creator, int64_t tasks, int64_t took, bool measured) {
  constexpr int kTimesOfTiny = 64;
  thief.leaves_alone = Worker::kNobody;
  bool large = measured && !are_small(creator, tasks);
  if (large || time_at_home(creator, tasks, took) >= kWorthComing) {
    thief.rest = 0;
    return;
  }
  // All that are idle come about as often as one alone would.
  int64_t idle = share_of_idle(thief);
  int64_t now = sys::ticks();
  thief.rest = std::clamp(2 * thief.rest, kWorthComing, std::max<int64_t>(idle, 4) * kWorthComing);
  thief.rests_until = now + thief.rest;
  if (&creator != &thief && are_tiny(creator)) {
    thief.leaves_alone = creator.id;
    thief.leaves_alone_until = now + idle * kTimesOfTiny * kWorthComing;
    thief.asks_again = now + idle * kAskAgain;
    ask(thief, creator.id, creator.id + 1);
  }
}

} // namespace

FullFrame* parent_of_stolen(Slot* mark) { return guest_of(*mark).parent; }

Slot* steal(Worker& worker, const Search& search) {
  XOMP_ASSERT(self == &worker);
  constexpr uint32_t kAskEvery = 16; // looks: two to thirty microseconds
  constexpr int kFewStacks = 8, kManyStacks = 32;
  if (worker.count == 1)
    return nullptr;
  if (search.thorough) {
    ask_all_for_certain(worker, search);
    return worker.tasks->sleepers.look_thoroughly(
        [&] { return look_around(worker, search, Reach::kAll, INT_MAX); });
  }
  bool rests = worker.rests_until > 0 && sys::ticks() < worker.rests_until;
  Slot* mark = look_around(worker, search, rests ? Reach::kOfAway : Reach::kPublic, kFewStacks);
  if (mark) {
    worker.idle_since = 0;
    return mark;
  }
  if (rests || ++worker.looks % kAskEvery != 0)
    return nullptr;
  int64_t now = sys::ticks();
  if (worker.idle_since == 0)
    worker.idle_since = now;
  if (now - worker.idle_since >= kPatience && sys::has_asymmetric_fence() && may_force(worker)) {
    // They do not answer: they are in the middle of something long.
    worker.idle_since = now;
    mark = look_around(worker, search, Reach::kAll, kManyStacks);
  }
  if (!mark)
    ask_all(worker);
  return mark;
}

void run_stolen(Worker& worker, Slot* mark) {
  Activity here(worker, ActivityKind::kTask);
  SplitStack& stack = worker.stack;
  XOMP_ASSERT(self == &worker && mark->body == guest_mark &&
              mark->depth == stack.current->depth + 1);
  Guest& guest = guest_of(*mark);
  Slot* outer = std::exchange(stack.current, mark);
  Env* env = change_env(worker, guest.env);
  Level level(worker);
  int64_t begin = sys::ticks();
  uint64_t measured_before = worker.counters.measured;
  bool child;
  while (Slot* frame = next_stolen(worker, mark, child)) {
    if (!child)
      report_to_parent(guest); // the parent does not wait for an orphan
    worker.counters.count_run(false, guest.victim->domain == worker.domain);
    sys::delay();
    run_measured(worker, guest, frame, mark);
    guest.done += child;
    bool left_any =
        stack.top() != guest.end - 1 || worker.ready_successors || worker.ended_with_ready;
    // Before anything that may take long: what these tasks left is run next.
    if (left_any || SplitStack::next_pending(mark + 1, guest.end) == guest.end)
      report_to_parent(guest);
    while (Slot* left = claim_own(worker, guest.end - 1))
      run_own(worker, left);
    level.run_left_behind();
  }
  report_to_parent(guest);
  report_size(guest);
  // Those that have created others are not measured.
  bool measured = worker.counters.measured != measured_before;
  weigh(worker, *guest.creator, guest.end - (mark + 1), sys::ticks() - begin, measured);
  XOMP_ASSERT(stack.current == mark &&
              guest.victim->stack.guests.load(std::memory_order_relaxed) > 0);
  stack.current = outer;
  change_env(worker, env);
  Taskgroup* group = guest.own_env.group;
  Worker& victim = *guest.victim;
  FullFrame& parent = *guest.parent;
  release_env(guest.own_env);
  stack.cut(mark);
  XOMP_ASSERT(parent.links.load(std::memory_order_relaxed) > 0);
  // Release: whoever frees it sees that we look at it no more.
  parent.links.fetch_sub(1, std::memory_order_release);
  if (group)
    leave_group(&worker, *group, true);
  // Release: as for the group, the barrier's.
  victim.stack.guests.fetch_sub(1, std::memory_order_release);
  victim.bell.ring();
}

} // namespace xomp
