// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// auto: ordinary tasks lie on their creators' stacks (task/steal.h). Each worker puts all others
// into one ring of its own, out of which any worker that has nothing to do takes the oldest, so
// that no task waits for a busy worker. How much a thief takes follows from how large the victim's
// tasks are, as paper 1 found (Table IV): many small ones at a time, large ones one by one, and
// these in the order in which they were put, whosever queue they lie in. Victims are asked where
// the last success was, then in the own locality domain, then everywhere. Choices and their
// reasons: docs/schedulers/auto.md.
#include <algorithm>
#include <bit>
#include <climits>

#include "queue/shared_ring.h"
#include "sched/occupied.h"
#include "sched/policy.h"
#include "sched/sleepers.h"
#include "sched/trace_moves.h"
#include "sys/assert.h"
#include "sys/delay.h"
#include "sys/headroom.h"
#include "sys/memory.h"
#include "sys/ticks.h"

namespace xomp {
namespace {

using Ring = SharedRing<DeferredTask>;

/// Where tasks are large, they are begun in the order in which they were put (`key_for`). But a
/// worker prefers the oldest of its own ring to an older one elsewhere that was put earlier by less
/// than this part of what its last task took.
constexpr int64_t kAlike = 16;

/// A task counts as put later for each that is around it, by so many times what tasks take, within
/// bounds. Whoever creates several that create others may lose its processor in between, most
/// likely to a thread that it has just woken for the first of them: that one's children, which are
/// older now, are not begun before the rest of their parents. But what others go on creating passes
/// nothing for long.
constexpr int64_t kTimesBehind = 8;
constexpr int64_t kMostBehind = 10'000 * sys::kTicksOfMicrosecond;
constexpr uint32_t kMostDepth = 100;

constexpr int64_t kNever = INT64_MAX;

/// Queues of others in which a worker that waits inside a task looks for its descendants, unless
/// the search is thorough: most of what lies there is not for it.
constexpr int kQueuesInTask = 8;

struct AutoState {
  std::atomic<Ring*> ring{nullptr}; ///< made when the worker first puts something
  uint32_t capacity = 0;            ///< of the ring, for the largest team so far
  int victim = 0;                   ///< from whom it last had something
  Occupied occupied;                ///< in worker 0's, for a large team
  WorkerSet with_ring;              ///< in worker 0's: nobody looks at the others
};

AutoState& state_of(const Port& port) { return *static_cast<AutoState*>(port.state); }
AutoState& shared_state(const Port& port) { return state_of(*port.peers[0]); }
bool is_large_team(const Port& port) { return port.count > Occupied::kWorthIt; }

/// As many tasks of one worker wait as on the peers (docs/schedulers/auto.md), but where addresses
/// are scarce a large team's rings would take what its threads need; and as many again, for a task
/// whose children have left that many behind (`is_crowded`).
uint32_t capacity_for(int workers) {
  constexpr uint64_t kLeast = kWaitOfOneCreator, kMost = 1 << 14;
  uint64_t each = std::max<uint64_t>(kWaitForEachThread, settings.queue_size);
  uint64_t wanted = std::clamp(each * static_cast<uint64_t>(workers), kLeast, kMost);
  if (wanted > kLeast && sys::addresses_are_limited())
    wanted = kLeast;
  return 2 * static_cast<uint32_t>(std::bit_ceil(wanted));
}

/// Puts what is left of the ring into a larger one. Nobody but the caller is looking.
void enlarge(AutoState& state, uint32_t capacity) {
  Ring* old = state.ring.load(std::memory_order_relaxed);
  XOMP_ASSERT(std::has_single_bit(capacity) && capacity > state.capacity);
  if (old) {
    Ring* ring = Ring::create(capacity);
    for (uint32_t at = old->begin(); at != old->end(); ++at) {
      if (DeferredTask* task = old->at(at))
        ring->push(task, old->key(at));
    }
    Ring::destroy(old);
    state.ring.store(ring, std::memory_order_relaxed);
  }
  state.capacity = capacity;
}

void open(Port& port) {
  if (!port.state)
    port.state = sys::create<AutoState>();
  AutoState& state = state_of(port);
  uint32_t capacity = capacity_for(port.count);
  if (state.capacity < capacity)
    enlarge(state, capacity);
  state.victim = port.id;
  if (port.id == 0) {
    state.with_ring.reserve(port.count);
    state.with_ring.remove_all(); // of a larger team
    if (is_large_team(port))
      state.occupied.reset(port.count);
  }
  if (state.ring.load(std::memory_order_relaxed))
    shared_state(port).with_ring.note(port.id);
  reset(port);
}

void close(Port& port) {
  auto* state = static_cast<AutoState*>(port.state);
  if (!state)
    return;
  if (Ring* ring = state->ring.load(std::memory_order_relaxed))
    Ring::destroy(ring);
  state->occupied.end();
  state->with_ring.end();
  sys::destroy(state);
  port.state = nullptr;
}

void trim(Port& port) {
  auto* state = static_cast<AutoState*>(port.state);
  Ring* ring = state ? state->ring.load(std::memory_order_relaxed) : nullptr;
  if (ring && port.stale)
    ring->retract_stale(port.stale);
}

/// Whether fewer than `most` tasks wait in the ring. Entries that are left behind although their
/// task is done do not count: what is full has to be full of tasks that wait
/// (docs/schedulers/auto.md).
bool has_fewer(Port& port, uint32_t most) {
  Ring* ring = state_of(port).ring.load(std::memory_order_relaxed);
  if (!ring || ring->used_at_most() < most || ring->used() < most)
    return true;
  if (!port.stale)
    return false;
  // What lies at the end: a thief that lost its processor while it looked at the ring kept the
  // producer from taking back what it has run itself since.
  ring->retract_stale(port.stale);
  if (ring->used() >= most)
    ring->close_up(port.stale); // what lies behind tasks that are left over
  return ring->used() < most;
}

bool has_room(Port& port) { return has_fewer(port, state_of(port).capacity); }

bool is_crowded(Port& port) { return !has_fewer(port, state_of(port).capacity / 2); }

[[gnu::cold]] Ring* lay_out(Port& port) {
  AutoState& state = state_of(port);
  Ring* ring = Ring::create(state.capacity);
  // Release: a thief must see the ring before its address.
  state.ring.store(ring, std::memory_order_release);
  // Before there is anything in it, which somebody about to sleep must not miss.
  shared_state(port).with_ring.note(port.id);
  return ring;
}

/// When a task counts as put: large ones are begun in this order.
int64_t key_for(const Port& port, const DeferredTask* task) {
  uint32_t depth = port.depth ? std::min(port.depth(task), kMostDepth) : 0;
  int64_t behind = port.ran_for ? std::min(kTimesBehind * port.ran_for, kMostBehind) : kMostBehind;
  return sys::ticks() + depth * behind;
}

int put(Port& port, DeferredTask* task, bool) {
  AutoState& state = state_of(port);
  Ring* ring = state.ring.load(std::memory_order_relaxed);
  if (!ring) [[unlikely]]
    ring = lay_out(port);
  if (ring->used_at_most() >= state.capacity && ring->used() >= state.capacity)
    return kNoRoom;
  sys::delay();
  ring->push(task, key_for(port, task));
  if (is_large_team(port))
    shared_state(port).occupied.note(port.id);
  return port.id;
}

bool retract(Port& port, DeferredTask* task) {
  Ring* ring = state_of(port).ring.load(std::memory_order_relaxed);
  return ring && ring->retract(task);
}

/// Whatever a thief was about to do is a matter of single stores: at worst nobody finds an entry.
void after_fork(Port& port) {
  auto* state = static_cast<AutoState*>(port.state);
  Ring* ring = state ? state->ring.load(std::memory_order_relaxed) : nullptr;
  if (ring)
    ring->after_fork();
}

/// Moves entries from the front of a ring, whose lock the thief holds, to its own. Returns how
/// many.
uint32_t take_along(Port& port, Ring& ring, uint32_t from, uint32_t entries, const Judge& judge) {
  AutoState& state = state_of(port);
  Ring* own = state.ring.load(std::memory_order_relaxed);
  if (!own)
    own = lay_out(port);
  uint32_t moved = 0;
  port.sleepers->move_begins();
  for (uint32_t at = from; entries && at != ring.end(); ++at) {
    DeferredTask* task = ring.at(at);
    if (!task)
      continue;
    if (own->used() >= state.capacity)
      break;
    // Out of here first: a task in two rings would have two queue entries.
    ring.remove(at);
    sys::delay();
    // Without OMP_MAX_TASK_PRIORITY no task has one.
    int32_t priority = settings.max_task_priority > 0 ? judge.priority(task) : 0;
    own->push(task, ring.key(at));
    // Its producer has just put it and says so next, of a ring where it is no more.
    if (priority > 0)
      port.urgency.put(priority);
    --entries;
    ++moved;
  }
  port.sleepers->move_ends();
  if (is_large_team(port))
    shared_state(port).occupied.note(port.id);
  return moved;
}

/// The most urgent task in a ring, if the worker may have it; the oldest of several.
DeferredTask* search_most_urgent(Urgency& urgency, Ring& ring, const Judge& judge) {
  while (int32_t bound = urgency.bound()) {
    uint32_t end = ring.end(), best = end;
    int32_t highest = 0;
    for (uint32_t at = ring.begin(); at != end && highest < bound; ++at) {
      DeferredTask* task = ring.at(at);
      if (task && judge.priority(task) > highest) {
        best = at;
        highest = judge.priority(task);
      }
    }
    if (highest < bound)
      urgency.lower(bound, highest, [&] { return ring.end() != end; });
    if (highest == 0)
      return nullptr;
    DeferredTask* task = ring.at(best);
    Verdict verdict = judge(task);
    if (verdict == Verdict::kKeep)
      return nullptr;
    ring.remove(best);
    if (verdict == Verdict::kTake)
      return task;
  }
  return nullptr;
}

/// Looks through one ring, up to the first task that was put later than `until`, for urgent ones
/// through all of it; the caller holds its lock.
DeferredTask* search(Port& port, Port& producer, Ring& ring, const Judge& judge, int64_t until) {
  uint32_t few = judge.few;
  uint32_t at = ring.begin();
  XOMP_ASSERT(ring.end() - at <= ring.capacity());
  bool urgent = producer.urgency.bound() != 0;
  DeferredTask* found = urgent ? search_most_urgent(producer.urgency, ring, judge) : nullptr;
  for (; !found && few && at != ring.end(); ++at) {
    DeferredTask* task = ring.at(at);
    if (!task)
      continue;
    if (ring.key(at) > until)
      break;
    Verdict verdict = judge(task);
    sys::delay();
    if (verdict == Verdict::kKeep) {
      --few;
      continue;
    }
    ring.remove(at);
    if (verdict == Verdict::kTake) {
      found = task;
      break;
    }
  }
  if (found && &port != &producer) {
    // Several at once only where no order among the rings is kept.
    bool several = judge.anything && !urgent && until == kNever;
    uint32_t more = several ? worth_taking(producer, ring.end() - at) - 1 : 0;
    uint32_t along = more ? take_along(port, ring, at + 1, more, judge) : 0;
    port.counters.count_theft(1 + along);
    trace_theft(port, producer, 1 + along);
  }
  ring.trim();
  return found;
}

/// The ring of `producer`, if something may be in it; null if not.
Ring* filled_ring(const Port& port, Port& producer) {
  Ring* ring = state_of(producer).ring.load(std::memory_order_acquire);
  if (ring && !ring->looks_empty())
    return ring;
  if (!is_large_team(port))
    return nullptr;
  Occupied& occupied = shared_state(port).occupied;
  if (!occupied.clear(producer.id) || !ring || ring->looks_empty())
    return nullptr;
  occupied.note(producer.id); // it has put something meanwhile
  return ring;
}

DeferredTask* take_out(Port& port, Port& producer, Ring& ring, const Judge& judge,
                       int64_t until = kNever) {
  if (judge.thorough)
    ring.wait_for_lock();
  else if (!ring.try_lock())
    return nullptr;
  DeferredTask* task = search(port, producer, ring, judge, until);
  ring.unlock();
  return task;
}

DeferredTask* take_from(Port& port, Port& producer, const Judge& judge) {
  Ring* ring = filled_ring(port, producer);
  return ring ? take_out(port, producer, *ring, judge) : nullptr;
}

/// Calls `visit` for the workers, from `first` on, until it returns true: for all that ever had
/// something, or in a large team unless the search is thorough for those that may have now. Whether
/// it did.
template <class Visit>
bool visit_from(const Port& port, const Judge& judge, int first, Visit visit) {
  const AutoState& shared = shared_state(port);
  const WorkerSet& some =
      is_large_team(port) && !judge.thorough ? shared.occupied : shared.with_ring;
  return some.visit_from(first, [&](int id) { return visit(*port.peers[id]); });
}

/// Calls `visit` for the others of its domain that may have something, until it returns true.
/// Whether it has come past any of another one.
template <class Visit> bool visit_neighbours(const Port& port, const Judge& judge, Visit visit) {
  bool strangers = false;
  visit_from(port, judge, state_of(port).victim, [&](Port& other) {
    bool near = other.domain == port.domain;
    strangers |= !near;
    return near && &other != &port && visit(other);
  });
  return strangers;
}

/// Ticks when the task in front of its queue was put; kNever: there is none. A hint.
int64_t front_since(const Port& port, Port& producer) {
  Ring* ring = filled_ring(port, producer);
  return ring ? ring->front_key(kNever) : kNever;
}

/// Ticks when the oldest of the tasks in front of the queues of its domain was put; kNever: there
/// is none. `strangers`: as `visit_neighbours`.
int64_t oldest_near(Port& port, const Judge& judge, bool& strangers) {
  int64_t oldest = front_since(port, port);
  strangers = visit_neighbours(port, judge, [&](Port& other) {
    oldest = std::min(oldest, front_since(port, other));
    return false;
  });
  return oldest;
}

/// Takes a task out of the own queue that was put no later than `own_until`, or out of another of
/// its domain one that was put no later than `until`.
DeferredTask* take_old(Port& port, const Judge& judge, int64_t own_until, int64_t until) {
  DeferredTask* task = nullptr;
  auto look = [&](Port& producer, int64_t latest) {
    Ring* ring = filled_ring(port, producer);
    if (ring && ring->front_key(kNever) <= latest)
      task = take_out(port, producer, *ring, judge, latest);
    return task != nullptr;
  };
  if (!look(port, own_until)) {
    visit_neighbours(port, judge, [&](Port& other) {
      if (look(other, until))
        state_of(port).victim = other.id;
      return task != nullptr;
    });
  }
  return task;
}

/// Large tasks are begun in the order in which they became ready, so that of several chains none is
/// left to the end. Null also if others were quicker each time, though each time the order is less
/// strict. `none`: there was none to be seen, in any domain.
DeferredTask* take_in_turn(Port& port, const Judge& judge, bool& none) {
  constexpr int kTries = 3, kBitsLess = 4, kMostLooks = 64;
  int64_t alike = port.ran_for / kAlike, before = INT64_MIN;
  DeferredTask* task = nullptr;
  int tries = kTries;
  for (int looks = 0; !task && looks < kMostLooks; ++looks) {
    bool strangers;
    int64_t oldest = oldest_near(port, judge, strangers);
    if (oldest == kNever) {
      none = looks == 0 && !strangers;
      break;
    }
    // What was in front is gone: a stale entry, or somebody took it. That is no try.
    if (oldest <= before && --tries == 0)
      break;
    before = oldest;
    // Elsewhere one will do that was put later by a 256th of `alike`; after a try in vain by a
    // 16th, at last by all of it.
    task = take_old(port, judge, oldest + alike, oldest + (alike >> kBitsLess * (tries - 1)));
  }
  if (task)
    ++port.counters.in_turn;
  return task;
}

/// A worker inside a task, for which only few are, takes what it finds. One that knows of no task
/// yet how long it takes keeps to the order as well.
DeferredTask* take(Port& port, const Judge& judge) {
  if (judge.anything && ran_large(port)) {
    bool none = false;
    DeferredTask* task = take_in_turn(port, judge, none);
    if (task || none)
      return task;
  }
  if (DeferredTask* task = take_from(port, port, judge))
    return task;
  AutoState& state = state_of(port);
  DeferredTask* found = nullptr;
  int left = judge.thorough || judge.anything ? INT_MAX : kQueuesInTask;
  for (bool near : {true, false}) {
    bool strangers = false;
    visit_from(port, judge, state.victim, [&](Port& other) {
      if ((other.domain == port.domain) != near) {
        strangers = true;
        return false;
      }
      Ring* ring = &other == &port ? nullptr : filled_ring(port, other);
      if (!ring)
        return false;
      found = take_out(port, other, *ring, judge);
      if (found || !judge.anything)
        state.victim = other.id; // the next search goes on here
      return found || --left == 0;
    });
    if (found || left == 0 || (near && !strangers))
      break;
  }
  return found;
}

int queued(const Port& port) {
  const Ring* ring = state_of(port).ring.load(std::memory_order_acquire);
  return ring ? static_cast<int>(ring->size_hint()) : 0;
}

} // namespace

extern const Policy kAutoPolicy;
constinit const Policy kAutoPolicy{.open = open,
                                   .close = close,
                                   .has_room = has_room,
                                   .put = put,
                                   .take = take,
                                   .shared = true,
                                   .retract = retract,
                                   .queued = queued,
                                   .trim = trim,
                                   .after_fork = after_fork,
                                   .is_crowded = is_crowded,
                                   .in_place = true};

// A team of one has nothing but its own stack: nothing can be refused there, or moved, and nobody
// else comes for anything. The rings stay for the next team that is larger.
constinit const Policy kSoloPolicy{
    .open = [](Port& port) { reset(port); },
    .close = close,
    .has_room = [](Port&) { return false; },
    .put = [](Port&, DeferredTask*, bool) { return kNoRoom; },
    .take = [](Port&, const Judge&) -> DeferredTask* { return nullptr; },
    .trim = trim,
    .in_place = true};

} // namespace xomp
