// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A worker: one thread's membership in one team, as the task layer sees it. The team layer adds the
// rest (team/team.h: Member). A thread that opens a nested region is another Worker inside it.
#pragma once
#include <atomic>
#include <cstdint>
#include <utility>

#include "conf/settings.h"
#include "queue/split_stack.h"
#include "sched/policy.h"
#include "sched/sleepers.h"
#include "sched/worker_set.h"
#include "sys/brief_lock.h"
#include "sys/reads.h"
#include "sys/relaxed.h"
#include "sys/span_count.h"
#include "sys/ticks.h"
#include "task/block.h"
#include "task/external_load.h"
#include "task/heap.h"
#include "task/shared_barrier.h"
#include "task/short_spins.h"
#include "task/task.h"

namespace xomp {

/// Tasks that no queue can bring to a worker that may start them (task/overflow.h). `newest` and
/// `version` may be looked at without the lock, as a hint.
struct OverflowList {
  std::atomic<DeferredTask*> newest{nullptr}; ///< linked by `next_posted`
  std::atomic<uint64_t> version{0};           ///< posts so far
  uint32_t count = 0;                         ///< tasks on it
  uint32_t clear_at = 256;                    ///< that many: stale ones are taken off
  bool refused = false; ///< a waiting worker keeps tasks in its queues that it found no room for
  sys::BriefLock lock;
};

/// What the workers of a team share for tasking.
struct TaskTeam {
  int count = 1;                      ///< workers
  std::size_t thread_stack_bytes = 0; ///< of each of its threads but the master
  sys::BriefLock stacks_lock; ///< while one worker reserves memory for all stacks, or takes its own
  bool initial = false;       ///< of a thread outside of all regions: its tasks are run at once
  /// More threads run than there are processors; relaxed: only advice.
  std::atomic<bool> crowded{false};
  /// A task has been created, in some region. Before that short looks, of which a thread that waits
  /// makes many, find nothing and are not made: many programs never have tasks, and wait in short
  /// regions. Thorough ones do not ask. Relaxed: a hint.
  std::atomic<bool> has_tasks{false};
  /// Members on whose stacks there may be tasks: each is put in when it creates one there without
  /// its fast path, or takes one from another's stack; nobody looks at the others, of which there
  /// may be hundreds. In a team of more than `kManyStacks` the master empties it before each
  /// region, which members begin with their fast paths closed.
  WorkerSet stacks_in_use;
  static constexpr int kManyStacks = 16;
  void expect_tasks() {
    if (!has_tasks.load(std::memory_order_relaxed))
      has_tasks.store(true, std::memory_order_relaxed);
  }
  /// A task of a priority above 0 has been created. From then on all of them wait where the most
  /// urgent one is looked for. Relaxed: what others create at this moment may lie elsewhere.
  std::atomic<bool> has_priorities{false};
  /// Rounds before an idle worker sleeps.
  int64_t spin_count() const {
    return crowded.load(std::memory_order_relaxed) ? crowded_spin_count()
                                                   : sys::load_relaxed(settings.spin_count);
  }
  // Creators of tasks read it; the lines around it change with every theft.
  alignas(sys::kNoSharing) std::atomic<uint32_t> asleep{
      0}; ///< workers that sleep, or are about to (task/wakeup.h)
  /// Those that are awake and have looked for a task in vain for a while. Relaxed: advice.
  int idle_and_awake() const {
    return idle_workers.load(std::memory_order_relaxed) -
           static_cast<int>(asleep.load(std::memory_order_relaxed));
  }
  alignas(sys::kNoSharing) Sleepers sleepers; ///< those that sleep and could start any task
  sys::SpanCount asks;                        ///< of owners of stacks, by thieves (task/ask.h)
  std::atomic<uint64_t> fenced_asks{0};       ///< for these somebody has passed a heavy fence since
  std::atomic<int64_t> next_force{0}; ///< ticks: before that only who is about to sleep forces
  std::atomic<int> idle_workers{0};   ///< workers that have looked for a task in vain for a while
  std::atomic<int> searchers{0};      ///< those of them that are awake and could start any task
  /// In this region a creator has left a small task to `searchers`, or was about to.
  std::atomic<bool> left_to_searchers{false};
  ExternalLoad external_load;         ///< of a crowded team
  std::atomic<bool> cancelled{false}; ///< cancel parallel
  OverflowList overflow;
  std::atomic<int> visitors{0}; ///< threads inside omp_fulfill_event for a task of this team
  /// An initial team whose thread has ended with events open: whoever turns this to false acts for
  /// that thread from then on, and calls `adopt_team`. Protocol: team/README.md.
  std::atomic<bool> abandoned{false};
  std::atomic<uint32_t> fulfilled{0}; ///< tasks finished by events, modulo 2^32
  BlockDepots block_depots;
  /// Deferred tasks not finished; the central barrier's, in a line of its own.
  alignas(sys::kNoSharing) std::atomic<int64_t> outstanding{0};
  // Written at the start of each region.
  std::atomic<uint64_t> region{0}; ///< regions begun; the master counts before one has tasks
  uintptr_t* reductions = nullptr; ///< of the parallel construct; task/reduction.h
};

/// What a worker has learnt about its waits of one kind; see task/spin_policy.h.
struct SpinHistory {
  int64_t spin_limit = 4000; ///< rounds
  int64_t yield_limit = 1000 * sys::kTicksOfHandOver;
  uint32_t waits = 0;
  uint32_t waits_without_yield = 0; ///< waits to come that do not yield, if other programs compute
};
/// Of its waits for the next region; see task/pause_policy.h.
struct PauseHistory : SpinHistory {
  uint32_t next_long_probe = 16; ///< in waits
  uint32_t long_probes_every = 16;
};

/// When memory of one kind is taken afresh only after a look for what has become free;
/// task/sweep_due.h.
struct SweepDue {
  uint32_t credit = 0; ///< to be taken before that
  uint32_t freed = 0;  ///< so far, modulo 2^32
};

/// For how long a worker leaves small tasks to their owners; task/backoff.h. Times are in ticks.
struct Backoff {
  static constexpr int kNobody = -1;
  int64_t rest = 0, rests_until = 0; ///< of all owners that are there: how long, until when
  int creator = kNobody;             ///< whose tiny ones it leaves alone
  int64_t creator_until = 0;         ///< for so long
  int64_t asks_again = 0;            ///< then it asks whether that creator is still there
};

/// Never called: the bodies of frames at which something begins that has nothing to do with what
/// lies below; task/frame.h.
void root_mark(void*);
void guest_mark(void*);

struct Worker : Port {
  /// Not in the line of `gate`, which other workers write. Ordinary tasks; task/frame.h.
  SplitStack stack{&ground};
  Env* env = nullptr; ///< of the current task
  /// taskyields to come that do not look for anything; negative: all, in tasks without a full
  /// frame.
  int32_t idle_yields = 0;
  TaskTeam* task_team = nullptr;
  bool defers_in_place = false; ///< ordinary tasks go to its stack
  /// Asleep: what it may start; woken: what for. Wakers change it; task/wakeup.h.
  std::atomic<uintptr_t> wake_word{0};
  sys::BriefLock exclusion_lock; ///< of the arbiters of its full frames (task/exclusion.h)
  // Everything below is touched by this worker only, but for `climbs`, `activity`, what stands
  // under `stacks_lock`, and, between regions, by the master.
  Slot ground{root_mark, 0, 1, {}}; ///< the frame at the bottom, until there is memory for others
  FullFrame* ended_with_ready =
      nullptr; ///< full frames of ended tasks that may have ready children
  DeferredTask* ready_successors = nullptr; ///< tasks that this worker made ready
  FullFrame* ended_with_running =
      nullptr; ///< full frames of ended tasks with children that may be unfinished
  FullFrame* to_free =
      nullptr;               ///< full frames of ended tasks with all children done, not yet freed
  bool discards = false;     ///< the task whose body is called is discarded
  int steals_from = 0;       ///< worker whose stack it looks at first
  int64_t idle_since = 0;    ///< ticks; 0: it has found something
  uint32_t looks = 0;        ///< at others' stacks, in vain
  uint64_t ran_at_sweep = 0; ///< `Counters::self` when it looked for finished tasks last
  SweepDue children_due, full_frames_due;
  uint64_t region_seen = 0; ///< last region in which its implicit task began; see `begun`
  SpinHistory spin_history; ///< of waiting for tasks and at barriers
  PauseHistory pauses;
  ShortSpins short_spins; ///< in waits of any kind
  Heap heap;
  FreeBlocks blocks;
  Taskgroup* free_group = nullptr; ///< kept for the next one
  FullFrame* free_full_frames = nullptr;
  uint32_t kept_full_frames = 0;   ///< in that list
  uint32_t keeps_before_sweep = 0; ///< full frames that may still be kept; task/full_frame.cc
  FullFrame* bypassed = nullptr;   ///< full frames that can be freed when nobody climbs there
  uint32_t bypassed_count = 0;     ///< since the last look whether somebody climbs
  Slot* reserved = nullptr;        ///< memory for its stack, not in use yet
  std::size_t memory_slots = 0; ///< of that, or of what is in use; 0: neither. Under `stacks_lock`
  std::atomic<uint64_t> activity{0}; ///< task/activity.h; read by reports
  sys::Reads climbs;                 ///< of full frames; read by those who free some
  Backoff backoff;
  /// The flat barrier in which it is counted as having nothing to do, and the round; null: in none.
  SharedBarrier* settled_in = nullptr;
  uint64_t settled_round = 0;
  bool had_task = false; ///< one that was not on its stack, since it last looked in vain

  constexpr Worker() = default;
  constexpr explicit Worker(uintptr_t gate) : Port(gate) {}
};

/// A worker of the same team, by its id.
inline Worker& peer_of(const Worker& worker, int id) {
  return static_cast<Worker&>(*worker.peers[id]);
}

/// Rings all other workers of the team, for news that was stored before a sequentially consistent
/// fence.
inline void ring_others_after_fence(const Worker& worker) {
  for (int i = 0; i < worker.count; ++i) {
    if (i != worker.id)
      peer_of(worker, i).bell.ring_after_fence();
  }
}
/// As `ring_others_after_fence`, with that fence (`Bell::ring`).
inline void ring_others(const Worker& worker) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  ring_others_after_fence(worker);
}

/// The worker has a task that was not on its stack, or has created one in its heap: the team's
/// barrier has to know before that task can be over.
inline void make_busy(Worker& worker) {
  worker.stack.make_dirty();
  worker.had_task = true;
  if (SharedBarrier* barrier = std::exchange(worker.settled_in, nullptr)) [[unlikely]]
    barrier->count_out(worker.settled_round);
}

/// Whether whoever has nothing to do finds every ready task of the team. Else each has to see to
/// what it, or a task that it ran, leaves behind.
inline bool all_is_found(const Worker& worker) { return worker.policy->shared; }

/// The full frame of the current task, or null.
inline FullFrame* current_full_frame(const Worker& worker) {
  // Acquire: a thief may have made it.
  return reinterpret_cast<FullFrame*>(worker.stack.current->link.load(std::memory_order_acquire));
}

/// Whether the worker's implicit task in the team's present region has begun; it runs no task of
/// that region before. Relaxed: a thread that asks has acquired the task in question, and the
/// region was counted before there was one.
inline bool begun(const Worker& worker) {
  return worker.task_team->region.load(std::memory_order_relaxed) == worker.region_seen;
}

/// omp_in_explicit_task.
inline bool in_explicit_task(const Worker& worker) {
  const Slot* current = worker.stack.current;
  return current != &worker.ground && current != worker.stack.first;
}

/// The calling thread's worker. A thread that the runtime has not seen yet has `stranger`
/// (team/team.h), whose gate is open (so creation takes the slow path, which registers the thread)
/// and whose current task has no full frame.
extern __thread Worker* self; // not thread_local: no initialisation to check for

/// self->id, one load nearer: programs ask for it in their innermost loops.
extern __thread int self_id;

/// The calling thread acts in `worker` from here on.
inline void act_in(Worker& worker) {
  self = &worker;
  self_id = worker.id;
}

} // namespace xomp
