// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a scheduling policy must provide, and the two structures through which the task layer speaks
// to it. A policy is one file, auto.cc or one in papers/, also of no paper: only there may
// it include what policies share. And one line in conf/schedulers.def. It moves
// opaque task pointers between workers; it never runs one. What may be taken by whom (the OpenMP
// task scheduling constraint) is decided by the judge that the caller of `take` passes in.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "conf/settings.h"
#include "queue/verdict.h"
#include "sched/urgency.h"
#include "sys/assert.h"
#include "sys/bell.h"
#include "sys/ticks.h"
#include "trace/counters.h"

namespace xomp {

namespace trace {
struct Track; // trace/track.h
}

struct DeferredTask; // task/task.h; opaque here
struct Policy;
/// Of a team of one, and of a worker that has no team yet (sched/auto.cc).
extern const Policy kSoloPolicy;
class Sleepers; // sched/sleepers.h

/// One worker's connection to the scheduler. Written by its own worker only, but for `open` and
/// `bell`.
struct Port {
  int id = 0;                   ///< 0 .. count-1
  int count = 1;                ///< workers of the team
  int domain = 0;               ///< locality domain (NUMA node) in which it runs; set before `open`
  Port* const* peers = nullptr; ///< the ports of the team, by id
  const Policy* policy = &kSoloPolicy;
  void* state = nullptr; ///< the policy's own, one per port
  /// What listeners keep of the worker's thread; null: nobody listens to it. Its own.
  trace::Track* track = nullptr;
  std::atomic<uint32_t> track_number{
      0}; ///< number of `track`, for others; relaxed: for records only
  /// Every creation takes the slow path (cancellation, statistics, listeners, strangers): the gate
  /// is never closed.
  bool creates_slowly = false;
  uintptr_t stack_limit =
      0; ///< what a closed gate holds: below it no task is run on top of another (sys/stack.h)
  int64_t ran_for = 0; ///< ticks of the offered task that it ran last
  Urgency urgency; ///< of the tasks in its queue, for policies that search for the most urgent one
  Sleepers* sleepers = nullptr; ///< of the team
  /// Whether somebody has claimed a queued task meanwhile; if so, takes note that the queue holds
  /// it no longer. For policies that move tasks between queues, or take entries back. Set by the
  /// task layer.
  bool (*stale)(DeferredTask* task) = nullptr;
  /// How many tasks are around a task, at least. For policies that begin large tasks in an order.
  /// Set by the task layer.
  uint32_t (*depth)(const DeferredTask* task) = nullptr;
  sys::Bell bell; ///< rung by whoever gives this worker something to look at
  /// A task may be run at once by a worker whose stack pointer is at or above the gate. This one
  /// comparison is all that the fast path of task creation asks, but under `auto`, where that is
  /// `SplitStack::limit`, and the gate is closed outside of regions only. Open (kGateOpen, above
  /// every stack) means "ask the policy"; closed, that the policy would refuse the task (paper 1,
  /// section II.B), and that it is run at once as long as the stack lasts. Whoever makes room for
  /// this worker opens the gate; only the worker itself closes it, as described at `close_gate`.
  alignas(sys::kNoSharing) std::atomic<uintptr_t> gate{0};
  std::atomic<int64_t> mean{0};         ///< ticks of the tasks that it created lately
  std::atomic<int64_t> mean_at_once{0}; ///< of those that it ran itself at once; 0: none yet
  /// Domain for which the next task is meant; -1: that of its creator. For policies with queues per
  /// domain.
  int placement = -1;
  bool places_tasks = false; ///< its tasks may be meant for other domains: the gate stays open
  alignas(sys::kNoSharing) Counters counters; ///< the worker's own; others do not write this line

  constexpr Port() = default;
  constexpr explicit Port(uintptr_t gate) : creates_slowly(true), gate(gate) {}
};

/// As many tasks of one worker may wait as both peers let wait before they run one at once:
/// libomp's of one creator, libgomp's for each thread of the team, whichever is more.
inline constexpr int64_t kWaitOfOneCreator = 256, kWaitForEachThread = 64;

/// Tasks that take longer than this are *large*: they wait their turn, and the order in which they
/// are begun matters more than what it costs to find out.
inline constexpr int64_t kTicksOfLarge = 50 * sys::kTicksOfMicrosecond;

/// Whether those that the port's worker created lately are. Relaxed: advice.
inline bool offers_large(const Port& port) {
  return port.mean.load(std::memory_order_relaxed) > kTicksOfLarge;
}

/// Whether what the port's worker ran last was large, or may have been, as it has run none yet: it
/// keeps to an order.
inline bool ran_large(const Port& port) {
  return port.ran_for > kTicksOfLarge || port.ran_for == 0;
}

/// What tasks are taken to last before any was measured.
inline constexpr int64_t kAssumedMean = 64 * sys::kTicksOfHandOver;

/// Whether none that the port's worker created was measured yet. Relaxed: advice.
inline bool offers_unknown(const Port& port) {
  return port.mean.load(std::memory_order_relaxed) == kAssumedMean;
}

/// Counts what one took that created none itself, for the worker that ran it. One that knows
/// nothing of its own takes these to be large where that one is.
inline void count_size(Port& port, int64_t ticks) {
  if (ticks > kTicksOfLarge && port.mean.load(std::memory_order_relaxed) == kAssumedMean)
    port.mean.store(ticks, std::memory_order_relaxed);
  port.ran_for = std::max<int64_t>(ticks, 1);
  ++port.counters.measured;
  port.counters.measured_ticks += static_cast<uint64_t>(ticks);
  port.counters.measured_large += ticks > kTicksOfLarge;
}

/// Notes what so many took, sixteen at most, all together, for their creator: the mean follows the
/// last sixteen, but goes down slowly once it is low, as one large task among a hundred small ones
/// is all that matters there. Relaxed, and perhaps lost: advice.
inline void note_sizes(Port& creator, uint32_t tasks, int64_t ticks) {
  constexpr int64_t kLow = 4 * sys::kTicksOfMicrosecond;
  XOMP_ASSERT(tasks <= 16);
  int64_t mean = creator.mean.load(std::memory_order_relaxed);
  int64_t more = ticks - tasks * mean;
  // A shift goes down to the end, where a division would round to 0.
  int64_t next = more < 0 && mean <= kLow ? mean + (more >> 7)
                                          : std::max(mean + more / 16, std::min(mean, kLow));
  creator.mean.store(next, std::memory_order_relaxed);
}

/// Ticks: what takes less is over sooner where it is than a thief has come for it.
inline constexpr int64_t kWorthComing = sys::kTicksOfMicrosecond;

/// Notes what one of its own took that it ran at once. During one of many it may have lost its
/// processor.
inline void note_size_at_once(Port& port, int64_t ticks) {
  int64_t mean = port.mean_at_once.load(std::memory_order_relaxed);
  if (mean)
    ticks = mean + (std::min(ticks, 2 * mean + kWorthComing) - mean) / 8;
  port.mean_at_once.store(std::max<int64_t>(ticks, 1), std::memory_order_relaxed);
}

/// Tasks that a thief takes at once at most.
inline constexpr int64_t kMostTaken = 16;

/// For so long what a thief takes is to keep it busy.
inline constexpr int64_t kTicksOfTheft = 10 * sys::kTicksOfMicrosecond;

/// Ticks that so many tasks of that creator's would have taken where they were created, of which a
/// thief says that they took `elsewhere`: there it had to wait for what they touch. Where they took
/// longer than that explains, the creator's measure is of other tasks. Advice.
inline int64_t time_at_home(const Port& creator, int64_t tasks, int64_t elsewhere) {
  constexpr int64_t kMostMissed = sys::kTicksOfMicrosecond;
  int64_t each = creator.mean_at_once.load(std::memory_order_relaxed);
  return each && elsewhere < tasks * (each + kMostMissed) ? std::min(tasks * each, elsewhere)
                                                          : elsewhere;
}

/// Whether so many tasks of that creator's are over sooner than a thief has come: *small* ones.
/// Advice.
inline bool are_small(const Port& creator, int64_t tasks, int64_t than = kWorthComing) {
  int64_t elsewhere = tasks * creator.mean.load(std::memory_order_relaxed);
  return time_at_home(creator, tasks, elsewhere) < than;
}

/// Whether so are as many as a thief takes, with what its coming costs their creator, which has
/// measured that.
inline bool are_tiny(const Port& creator) {
  return creator.mean_at_once.load(std::memory_order_relaxed) &&
         are_small(creator, kMostTaken, kWorthComing * 3 / 2);
}

/// How many of `there` tasks of that creator's a thief takes at once, by what these take: as many
/// as keep it busy for a while, but never more than half (paper 1, Table IV: small tasks in
/// numbers). Where much waits in one place, a quarter of the thief's share unless they are large:
/// one by one the thieves of a large team would stand in each other's way. (Guided loops go like
/// this.)
inline uint32_t worth_taking(const Port& creator, int64_t there) {
  int64_t mean = std::max<int64_t>(creator.mean.load(std::memory_order_relaxed), 1);
  int64_t share = offers_large(creator) ? 0 : there / (int64_t{4} * creator.count);
  return static_cast<uint32_t>(std::clamp<int64_t>(
      std::max(std::min(kTicksOfTheft / mean, there / 2), share), 1, kMostTaken));
}

/// The worker after this one, around the team.
inline int after(int id, const Port& port) { return id + 1 < port.count ? id + 1 : 0; }

inline constexpr uintptr_t kGateOpen = UINTPTR_MAX;
inline constexpr int kNoRoom = -1;

/// At a team's start: the gate is open, and nothing is known of the tasks.
inline void reset(Port& port) {
  port.gate.store(kGateOpen, std::memory_order_relaxed);
  port.mean.store(kAssumedMean, std::memory_order_relaxed);
  port.mean_at_once.store(0, std::memory_order_relaxed);
}

/// Tasks not for this worker that a look leaves behind in one place before it goes on.
inline constexpr uint32_t kFew = 4;

/// Decides about one queued task; called by a policy for the tasks that it offers.
struct Judge {
  Verdict (*decide)(DeferredTask* task, void* context);
  void* context;
  /// The search is the last before a sleep, or one of few: it overlooks nothing, and `few` are
  /// all. Otherwise a policy goes past a queue that is being looked at.
  bool thorough = false;
  bool anything = false; ///< every ready task is for this worker
  /// Of a task that the caller holds an entry of.
  int32_t (*priority)(const DeferredTask* task) = nullptr;
  /// Entries not for this worker after which it goes on to the next queue.
  uint32_t few = thorough ? UINT32_MAX : kFew;
  Verdict operator()(DeferredTask* task) const { return decide(task, context); }
};

struct Policy {
  /// Makes `port.state` ready for a team of `port.count` workers whose ports are `port.peers`, and
  /// the gate. Called for every port before a team starts, while nobody else uses any of them. A
  /// port keeps its state between teams, and may be opened with another count. Called in the order
  /// of the ids; `domain` of all of them is set before.
  void (*open)(Port& port);
  /// Frees `port.state` (all ports of a team are closed together).
  void (*close)(Port& port);
  /// Whether the next `put` would be accepted. If not, goes on to the next target, and closes the
  /// gate when there is no room anywhere, but under `auto`.
  bool (*has_room)(Port& port);
  /// Offers `task` to the next target, another worker than this one where `to_another`, and
  /// rings the bell of a worker that may take it. Returns the target's id; kNoRoom if it was
  /// refused.
  int (*put)(Port& port, DeferredTask* task, bool to_another);
  /// A task for which the judge said kTake, or null.
  DeferredTask* (*take)(Port& port, const Judge& judge);
  /// Any worker can take what was put anywhere: nobody has to show what lies in its queue
  /// (taskyield relies on it). Then `put` wakes nobody: whoever calls it knows best whom the task
  /// is for (sched/sleepers.h); and an entry that the judge keeps is left to others where it is.
  bool shared = false;
  /// Null, or: `task`, whose own worker is about to run it, is taken out of the queue if that is
  /// easy. True: the queue's pointer is gone.
  bool (*retract)(Port& port, DeferredTask* task) = nullptr;
  /// For policies with queues per locality domain: the domain in whose queue a task meant for
  /// `domain` is put, which is another one where the team has no worker there; -1: that of `port`.
  int (*place)(const Port& port, int domain) = nullptr;
  /// How many queue entries its queues hold for the worker, more or less: any thread, beside all
  /// others, as long as the team is not opened or closed. For reports, and for a wait that leaves
  /// what is here to others for a moment (`may_hesitate`); may be null.
  int (*queued)(const Port& port) = nullptr;
  /// By the port's own worker when it begins a region, or by another in its place while it is in no
  /// team: entries that its queue still has are stale, and let go of their tasks. May be null.
  void (*trim)(Port& port) = nullptr;
  /// After a look in which the worker found nothing, here or anywhere else; `last`: it sleeps next.
  /// For policies in which a thief has to ask. May be null.
  void (*found_nothing)(Port& port, bool last) = nullptr;
  /// The worker has found a task to execute, wherever it lay, and runs it next. For policies in
  /// which it becomes a victim then. May be null.
  void (*found_task)(Port& port) = nullptr;
  /// In a child of fork, where the other threads are gone: what one of them held of the port's
  /// queue is free. Null: nothing that a worker waits for. May be called for a port without state.
  void (*after_fork)(Port& port) = nullptr;
  /// Whether so much of what may wait waits that a task is to find more room after its taskwait
  /// (task/taskwait.cc). Null: never.
  bool (*is_crowded)(Port& port) = nullptr;
  /// Ordinary tasks lie on their creator's stack, where thieves find them (task/steal.h), and do
  /// not come here.
  bool in_place = false;
};

/// Owner: there was no room anywhere. `look_again` is asked once more after the gate is closed,
/// because a consumer that made room before may have opened it too early.
template <class LookAgain> void close_gate(Port& port, LookAgain look_again) {
  if (port.creates_slowly)
    return;
  port.gate.store(port.stack_limit, std::memory_order_relaxed);
  // Orders the closing before the look: either the look sees the room, or the consumer sees the
  // gate closed.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (look_again())
    port.gate.store(kGateOpen, std::memory_order_relaxed);
}

/// As `open_gate`, after a sequentially consistent fence, or by the owner.
inline void open_if_closed(Port& port) {
  if (port.gate.load(std::memory_order_relaxed) != kGateOpen)
    port.gate.store(kGateOpen, std::memory_order_relaxed);
}

/// Consumer, after it has made room for the worker of `port`, or has other news for it. The fence
/// is the other half of the one in `close_gate`; a plain store with release order would do on
/// x86-64 and Arm, but not in the C++ memory model (tests/orders/gate.cc). Nothing is written to a
/// busy creator's line as long as its gate is open.
inline void open_gate(Port& port) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  open_if_closed(port);
}

} // namespace xomp
