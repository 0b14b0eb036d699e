// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mts: multi-threaded shepherds (paper 5, section 3.2 and Table 1). The workers of a locality
// domain share a LIFO. When it is empty, the first of them to find it so steals for all: a chunk of
// the oldest tasks of another domain, the nearest that has any. The others wait for what it brings.
//
// Paper 3, section 5: a task may be meant for another domain than its creator's
// (`Port::placement`), and in strict mode nothing is stolen, with one exception. A worker that
// waits inside a task may only start descendants of it, and one that is blocked in a lock starts
// nothing, so all workers of a domain may depend on a task that none of them can start. Therefore a
// queue from which nobody has taken anything for a second is no longer respected.
#include "place/domains.h"
#include "sched/papers/shared_lifo.h"
#include "sched/sleepers.h"
#include "sched/trace_moves.h"
#include "sys/memory.h"
#include "sys/ticks.h"

namespace xomp {
namespace {

/// The workers of one domain and what they share: a shepherd.
struct Shepherd {
  SharedLifo shared;
  std::atomic<bool> stealing{false}; ///< one of them is a thief
  int domain = 0;
  Port** ports = nullptr; ///< its workers
  int count = 0;
  Shepherd** victims = nullptr; ///< the others, nearest first
  /// Strict mode: ticks when something was last taken here, or put into the empty queue. Relaxed:
  /// compared with a second.
  std::atomic<int64_t> moved{0};

  void move() {
    if (settings.locality != LocalityMode::kStrict)
      return;
    moved.store(sys::ticks(), std::memory_order_relaxed);
    // Release, with the acquire of `stuck`: whoever sees the task that is put next sees this.
    std::atomic_thread_fence(std::memory_order_release);
  }
  bool stuck() const {
    constexpr int64_t kSecond = 1'000'000 * sys::kTicksOfMicrosecond;
    std::atomic_thread_fence(std::memory_order_acquire);
    return sys::ticks() - moved.load(std::memory_order_relaxed) > kSecond;
  }
};

/// Of a team; made by worker 0.
struct Shepherds {
  Shepherd* all = nullptr; ///< one for each domain in which the team has workers
  int count = 0;
  int domains = 0;
  Shepherd** of_domain = nullptr; ///< [domains]: its own, or the nearest
};

struct MtsState {
  Shepherds* team = nullptr; ///< worker 0's
  Shepherd* shepherd = nullptr;
  LookLess look;
};

MtsState& state_of(const Port& port) { return *static_cast<MtsState*>(port.state); }
Shepherds& team_of(const Port& port) { return *state_of(*port.peers[0]).team; }

template <class T> T* new_array(int size) {
  return static_cast<T*>(sys::allocate_zeroed(sizeof(T) * static_cast<std::size_t>(size)));
}

void free_shepherds(Shepherds* team) {
  if (!team)
    return;
  for (int i = 0; i < team->count; ++i) {
    sys::release(team->all[i].ports);
    sys::release(team->all[i].victims);
    team->all[i].~Shepherd();
  }
  sys::release(team->all);
  sys::release(team->of_domain);
  sys::destroy(team);
}

/// The nearest to `domain`; of several the next one in their order.
Shepherd* nearest(const Shepherds& team, int domain) {
  Shepherd* best = nullptr;
  int best_distance = 0, best_steps = 0;
  for (int i = 0; i < team.count; ++i) {
    int distance = domain_distance(domain, team.all[i].domain);
    int steps = (team.all[i].domain - domain + team.domains) % team.domains;
    if (best && (distance > best_distance || (distance == best_distance && steps > best_steps)))
      continue;
    best = &team.all[i];
    best_distance = distance;
    best_steps = steps;
  }
  return best;
}

/// The others, nearest first; equally near ones beginning with the next, so that not everybody goes
/// to the same.
void order_victims(const Shepherds& team, Shepherd& thief) {
  thief.victims = new_array<Shepherd*>(team.count);
  auto before = [&](const Shepherd& one, const Shepherd& other) {
    int distance = domain_distance(thief.domain, one.domain);
    int other_distance = domain_distance(thief.domain, other.domain);
    int steps = (one.domain - thief.domain + team.domains) % team.domains;
    int other_steps = (other.domain - thief.domain + team.domains) % team.domains;
    return distance != other_distance ? distance < other_distance : steps < other_steps;
  };
  int placed = 0;
  for (int i = 0; i < team.count; ++i) {
    Shepherd* victim = &team.all[i];
    if (victim == &thief)
      continue;
    int at = placed++;
    for (; at > 0 && before(*victim, *thief.victims[at - 1]); --at)
      thief.victims[at] = thief.victims[at - 1];
    thief.victims[at] = victim;
  }
}

Shepherds* new_shepherds(const Port& port) {
  auto* team = sys::create<Shepherds>();
  team->domains = domain_count();
  for (int i = 0; i < port.count; ++i) // a unit test may number domains as it likes
    team->domains =
        port.peers[i]->domain < team->domains ? team->domains : port.peers[i]->domain + 1;
  int* workers = new_array<int>(team->domains);
  for (int i = 0; i < port.count; ++i)
    team->count += workers[port.peers[i]->domain]++ == 0;
  auto bytes = sizeof(Shepherd) * static_cast<std::size_t>(team->count);
  team->all = static_cast<Shepherd*>(sys::allocate(bytes, alignof(Shepherd)));
  team->of_domain = new_array<Shepherd*>(team->domains);
  Shepherd* next = team->all;
  for (int domain = 0; domain < team->domains; ++domain) {
    if (workers[domain] == 0)
      continue;
    Shepherd* made = ::new (next++) Shepherd();
    made->domain = domain;
    made->ports = new_array<Port*>(workers[domain]);
    made->shared.limit = settings.queue_size * static_cast<uint32_t>(port.count);
    team->of_domain[domain] = made;
  }
  sys::release(workers);
  for (int i = 0; i < port.count; ++i) {
    Shepherd& its = *team->of_domain[port.peers[i]->domain];
    its.ports[its.count++] = port.peers[i];
  }
  for (int domain = 0; domain < team->domains; ++domain) {
    if (!team->of_domain[domain])
      team->of_domain[domain] = nearest(*team, domain);
  }
  for (int i = 0; i < team->count; ++i)
    order_victims(*team, team->all[i]);
  return team;
}

/// Between regions only stale entries are left in queues; whoever finds them still has to drop
/// them.
void hand_over(Shepherds* from, Shepherds& to) {
  auto everything = [](DeferredTask*) { return Verdict::kTake; };
  for (int i = 0; from && i < from->count; ++i) {
    while (DeferredTask* task = from->all[i].shared.deque.take_oldest(everything, 1))
      to.all[0].shared.deque.push(task, UINT32_MAX);
  }
}

void open(Port& port) {
  if (!port.state)
    port.state = sys::create<MtsState>();
  MtsState& state = state_of(port);
  if (port.id == 0) {
    Shepherds* old = state.team;
    state.team = new_shepherds(port);
    hand_over(old, *state.team);
    free_shepherds(old);
  }
  state.shepherd = team_of(port).of_domain[port.domain];
  port.places_tasks = false;
  reset(port);
}

void close(Port& port) {
  auto* state = static_cast<MtsState*>(port.state);
  if (!state)
    return;
  free_shepherds(state->team);
  sys::destroy(state);
  port.state = nullptr;
}

/// Where the next task of this worker goes.
Shepherd& target_of(const Port& port) {
  if (port.placement < 0) [[likely]]
    return *state_of(port).shepherd;
  const Shepherds& team = team_of(port);
  return *team.of_domain[port.placement < team.domains ? port.placement : 0];
}

bool has_room(Port& port) {
  Shepherd& own = *state_of(port).shepherd;
  Shepherd& target = target_of(port);
  if (&target == &own)
    return own.shared.has_room(port);
  // The gate stands for the worker's own domain.
  return target.shared.deque.size() < target.shared.limit;
}

int put(Port& port, DeferredTask* task, bool) {
  Shepherd& own = *state_of(port).shepherd;
  Shepherd& target = target_of(port);
  if (target.shared.deque.size() == 0)
    target.move();
  if (!target.shared.deque.push(task, target.shared.limit))
    return kNoRoom;
  return &target == &own ? port.id : target.ports[0]->id;
}

/// The worker of `port` takes a chunk of the oldest tasks of `victim`: the first that it may start
/// for itself, and those after it for the rest of its domain.
DeferredTask* steal(Port& port, Shepherd& victim, const Judge& judge) {
  constexpr int kMostChunk = 256;
  Shepherd& own = *state_of(port).shepherd;
  int chunk = settings.chunk ? settings.chunk : own.count;
  if (settings.locality == LocalityMode::kStrict)
    chunk = 1;
  DeferredTask* more[kMostChunk - 1];
  uint32_t moved;
  // Not before it is sure that something moves: a look before a sleep is repeated after each move.
  bool moves = false;
  bool kept = false;
  auto pick = [&, picked = noting_kept(judge, kept)](DeferredTask* each) {
    Verdict choice = picked(each);
    if (choice == Verdict::kTake && chunk > 1) {
      moves = true;
      port.sleepers->move_begins();
    }
    return choice;
  };
  DeferredTask* task = victim.shared.deque.take_oldest(
      pick, most_left(judge), more,
      static_cast<uint32_t>((chunk < kMostChunk ? chunk : kMostChunk) - 1), moved);
  victim.shared.made_room(victim.ports, victim.count);
  port.counters.count_remote_steal(task != nullptr, kept);
  trace_theft(port, *victim.ports[0], task ? 1 + moved : 0);
  // Beyond the limit, if others put something there meanwhile: a queue entry has to be somewhere.
  for (uint32_t i = 0; i < moved; ++i)
    own.shared.deque.push(more[i], UINT32_MAX);
  if (moves)
    port.sleepers->move_ends();
  return task;
}

DeferredTask* steal_for_all(Port& port, const Judge& judge) {
  Shepherd& own = *state_of(port).shepherd;
  Shepherds& team = team_of(port);
  if (team.count == 1)
    return nullptr;
  // Relaxed look first: most find that somebody is at it. Acquire and release only order thieves.
  // Whoever sleeps next looks for itself: the thief may be one that may not start what there is.
  bool first = !own.stealing.load(std::memory_order_relaxed) &&
               !own.stealing.exchange(true, std::memory_order_acquire);
  if (!first && !judge.thorough)
    return nullptr;
  DeferredTask* task = nullptr;
  for (int i = 0; i + 1 < team.count && !task; ++i) {
    Shepherd& victim = *own.victims[i];
    if (victim.shared.deque.size() == 0)
      continue;
    // Asked behind the size: before, an empty queue, from which nobody has taken anything for long,
    // would count as stuck when its first task comes.
    if (settings.locality != LocalityMode::kStrict || victim.stuck())
      task = steal(port, victim, judge);
  }
  if (first)
    own.stealing.store(false, std::memory_order_release);
  return task;
}

DeferredTask* take(Port& port, const Judge& judge) {
  MtsState& state = state_of(port);
  Shepherd& own = *state.shepherd;
  if (own.shared.deque.size() != 0) {
    DeferredTask* task = own.shared.take(judge, state.look, own.ports, own.count);
    if (task)
      own.move();
    // What lies in the other queues is for others unless these do not come, or sleep because they
    // may not start it.
    if (task || (settings.locality != LocalityMode::kStrict && !judge.thorough))
      return task;
  }
  if (state.look.skips(judge))
    return nullptr;
  return steal_for_all(port, judge);
}

int place(const Port& port, int domain) {
  const Shepherds& team = team_of(port);
  const Shepherd* target = team.of_domain[domain < team.domains ? domain : 0];
  return target == state_of(port).shepherd ? -1 : target->domain;
}

bool retract(Port& port, DeferredTask* task) {
  Shepherd& own = *state_of(port).shepherd;
  return own.shared.retract(task, own.ports, own.count);
}

void after_fork(Port& port) {
  if (!port.state || !state_of(port).shepherd)
    return;
  Shepherd& shepherd = *state_of(port).shepherd;
  shepherd.shared.deque.after_fork();
  shepherd.stealing.store(false, std::memory_order_relaxed); // the thief may be gone
}

} // namespace

extern const Policy kMtsPolicy;
constinit const Policy kMtsPolicy{.open = open,
                                  .close = close,
                                  .has_room = has_room,
                                  .put = put,
                                  .take = take,
                                  .shared = true,
                                  .retract = retract,
                                  .place = place,
                                  .after_fork = after_fork};

} // namespace xomp
