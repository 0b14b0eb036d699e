// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The data model of tasking, in one place. Rules and races: task/README.md.
//
// clang-format off
//   Worker --env--> Env { taskgroup, ICVs, flags }   of the current task, shared with the tasks that it creates
//     |
//     | stack: SplitStack   frame   pending   pending   frame   pending    (newest: top)
//     |                       |                           |
//     |                     FullFrame                   FullFrame          (if it needed one)
//     |                       { children: DeferredTask -> DeferredTask -> ... | dependences | own Env }
//     |                                        | home (back)     ^ a queue may hold a pointer
// clang-format on
//
// An ordinary task is a slot of its creator's stack: pending until somebody begins it, a frame
// while its body runs, free afterwards. No memory is allocated for it, no list holds it, and what
// it inherits follows from where it lies. Everything else that a task may need (dependences, ICVs
// of its own, a taskgroup, children that thieves have taken, children that cannot lie on the stack)
// hangs on its FullFrame, which is made when the first of them is needed. A task with clauses that
// a slot has no place for is a DeferredTask in its creator's heap.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "conf/icv.h"
#include "sys/assert.h"
#include "trace/task_trace.h"

namespace xomp {

struct Worker;
struct FullFrame;
struct Taskgroup;
struct DependTable;
struct DependEdge;
struct Exclusion;
struct DeferredTask;
struct SharedCopies; // task/reduction.h

enum EnvFlag : uint32_t {
  kEnvFinal = 1,   ///< in a final task: descendants are included tasks
  kEnvOwnsIcv = 4, ///< holds one reference on `icv`
};

/// What a task inherits from the task that creates it. One that lies on its creator's stack uses
/// its parent's until it changes something (`own_env`).
struct Env {
  Taskgroup* group = nullptr; ///< innermost enclosing taskgroup
  Icv* icv = nullptr;
  uint32_t flags = 0;
  int32_t child_domain = -1; ///< of the task itself, not inherited: where its children belong
                             ///< (paper 3, section 5.1); -1: where it runs
};

/// `DeferredTask::state`: a phase in the low two bits, and what besides the full frame still holds
/// a pointer.
enum TaskState : uint32_t {
  kWaiting = 0, ///< has unfinished predecessors
  kReady = 1,   ///< may be claimed
  kRunning = 2, ///< claimed; also: body done, but event not fulfilled
  kDone = 3,
  kPhase = 3,
  kInQueue = 4, ///< a queue or the team's overflow list holds a pointer
  kInReadyList =
      8, ///< the `ready_successors` list of the worker that made it ready holds a pointer
};

/// Whether a task's state may go from `from` to `to` (task/README.md, "The life of a deferred
/// task").
constexpr bool may_become(uint32_t from, uint32_t to) {
  uint32_t before = from & kPhase, after = to & kPhase, pointers = to & ~uint32_t{kPhase};
  if (before == kWaiting) // no queue knows of it; run without being offered, it holds nothing
    return from == kWaiting && (after == kReady || to == kRunning);
  // What has given its pointer up has it no more.
  return (after == before || after == before + 1) && (pointers & ~from) == 0;
}

/// What is done with a task that is not to run any more, because of cancellation.
enum class WhenDiscarded : uint8_t {
  kForget,
  kRun,  ///< run all the same: only the body destroys what the program's copy function made
  kTell, ///< the body is called to give back what it has (`discard`)
};

/// A task whose execution was deferred: lives in its creator's heap, is freed by its creator's
/// worker only.
struct DeferredTask {
  std::atomic<uint32_t> state;
  uint32_t units = 0;              ///< size in multiples of Heap::kAlign: more than 4 GiB fit
  FullFrame* parent = nullptr;     ///< the full frame of the task that created it
  DeferredTask* sibling = nullptr; ///< next in its list of `parent`; owner's worker only
  void (*body)(void*) = nullptr;
  void* payload = nullptr; ///< the body's argument block, behind this object or separate
  DeferredTask* next_ready = nullptr;
  DeferredTask* next_posted = nullptr; ///< on the team's overflow list; under its lock
  Env own_env;

  // Dependences (task/depend.h).
  std::atomic<DependEdge*> successors{nullptr};
  std::atomic<int32_t> predecessors{0}; ///< edges into it, counted when all are made, less those
                                        ///< whose predecessor is done
  uint32_t event = kNoPlace;            ///< place in the table of events (task/event.h)
  DependEdge* edge_blocks = nullptr; ///< edges into this task that its own block has no room for;
                                     ///< owner's worker only
  Exclusion* exclusion = nullptr;    ///< mutexinoutset (task/exclusion.h), or null
  uint32_t table_refs =
      0; ///< what names it of the creator's: entries of its table, itself; owner's worker only

  std::atomic<int32_t> unfinished{1}; ///< detachable: body and event, 2; else 1
  int32_t priority = 0;
  int16_t placement = -1; ///< domain for which it is meant, if not its parent's
  bool traced = false;    ///< a trace::TaskTrace lies behind this object
  WhenDiscarded when_discarded = WhenDiscarded::kForget;

  static constexpr uint32_t kNoPlace = ~uint32_t{0};
  bool detachable() const { return event != kNoPlace; }
  uint32_t phase(std::memory_order order) const { return state.load(order) & kPhase; }
  /// For assertions, by somebody without whom the state does not change so.
  bool may_be(uint32_t next) const {
    return may_become(state.load(std::memory_order_relaxed), next);
  }
  bool names(uint32_t pointer) const { return state.load(std::memory_order_relaxed) & pointer; }
};

/// What listeners know of a task that is `traced`.
inline trace::TaskTrace& trace_of(DeferredTask& task) {
  return *reinterpret_cast<trace::TaskTrace*>(&task + 1);
}

/// Children of one task, linked by `sibling`. Owner's worker only.
struct ChildList {
  DeferredTask* first = nullptr;
  DeferredTask** end = &first; ///< where the next is linked

  void push_front(DeferredTask& task) {
    if (!first)
      end = &task.sibling;
    task.sibling = first;
    first = &task;
  }
  void push_back(DeferredTask& task) {
    task.sibling = nullptr;
    *end = &task;
    end = &task.sibling;
  }
  /// Takes the task that `link` points to off the list.
  void unlink(DeferredTask** link) {
    XOMP_ASSERT(first && *link);
    DeferredTask* task = *link;
    *link = task->sibling;
    if (!*link)
      end = link;
  }
};

/// The part of a task that exists only if it is needed. Owned by the worker on which the task runs;
/// a thief that takes a child off that worker's stack may make it, under the stack's lock.
struct FullFrame {
  Worker* owner = nullptr;
  FullFrame* jump = nullptr; ///< one above, or itself; see `descends`
  uint64_t depth = 0;        ///< more than those above have
  FullFrame* next = nullptr; ///< in a list of the owner's of ended or of free ones
  /// Of the nearest enclosing task that had a full frame when this was made, any worker's; once the
  /// task has ended: or of the first above that, if that has ended too. Changed once at most, by
  /// the owner, before `ended`.
  std::atomic<FullFrame*> ancestor{nullptr};
  ChildList children; ///< ready when they were created, newest first
  ChildList away;     ///< ready when they were created, but offered to another worker, oldest first
  ChildList waiting;  ///< had unfinished predecessors then, oldest first
  ChildList spent;    ///< done, but a queue or a table still names them
  uint32_t waiting_count = 0; ///< length of `waiting`
  uint32_t waiting_limit = 0; ///< children that may wait before creation does; 0: the usual number
  DependTable* depends = nullptr; ///< owner only
  Env* env = nullptr;             ///< of the task, while it runs
  Env own_env;
  Env* saved_env = nullptr; ///< the one before `own_env`; null: that is not in use
  uint32_t live = 0;        ///< children whose memory is not freed yet; owner only
  /// So many of these are too many, unless a sweep leaves them; owner only.
  uint32_t sweep_at = kFewChildren;
  static constexpr uint32_t kFewChildren = 64; ///< never swept for their number
  bool has_priorities = false;                 ///< some child has a priority above 0
  bool holds_jump = false;        ///< `jump` is kept by this one, and counts it in `links`
  bool left_ready = false;        ///< some child is in no queue, and left to the end of its task
  std::atomic<bool> ended{false}; ///< its task has ended, and is counted in `ancestor->links`
  /// It was the `ancestor` of one that names another now: somebody who climbs may still be here.
  std::atomic<bool> bypassed{false};
  /// What keeps it: its owner, until its task has ended and has no child left; full frames of other
  /// tasks that outlived their task and name this one as ancestor, and those that hold it as their
  /// `jump`; thefts of children of which something is left.
  std::atomic<uint32_t> links{1};
  /// Children that thieves took off the stack and that are not done.
  std::atomic<uint32_t> stolen{0};
};

/// taskgroup region. Owned by the worker that executes the region.
struct Taskgroup {
  Taskgroup* outer = nullptr;
  Worker* owner = nullptr;
  int64_t local = 0;              ///< deferred and not finished, counted on the owner's worker
  std::atomic<int64_t> remote{0}; ///< counted by other workers; only the sum means something
  std::atomic<bool> cancelled{false};
  bool workshare = false; ///< made implicitly for task reductions of a worksharing construct
  uintptr_t* reductions = nullptr; ///< task/reduction.h
  SharedCopies* copies = nullptr;  ///< of a worksharing construct: held
};

} // namespace xomp
