// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Frames: what a worker's stack (queue/split_stack.h) says of the tasks that it is in the middle
// of. Every task that runs has one, whether it was pending there, is run at once, or comes from
// elsewhere. Rules: task/README.md.
#pragma once
#include <utility>

#include "sys/assert.h"
#include "sys/recomputed.h"
#include "sys/stack.h"
#include "task/worker.h"

namespace xomp {

/// In the arguments of a frame at which something begins that has nothing to do with what lies
/// below: an implicit task, a deferred one from a heap (`root_mark`), a theft (`guest_mark`). A
/// theft is no task: what lies directly above it are children of the task in `parent`.
struct Root {
  Env* env;          ///< of its task; of the tasks stolen
  FullFrame* parent; ///< of the task that created it; null for an implicit task
};

inline bool is_root(const Slot& frame) {
  return frame.body == root_mark || frame.body == guest_mark;
}
inline Root& root_of(Slot& frame) { return *reinterpret_cast<Root*>(frame.arguments); }

/// Whether the current task is one at which a stack begins: implicit, or from a heap.
inline bool at_root(const Worker& worker) {
  const Slot* current = worker.stack.current;
  return current == &worker.ground || current->body == root_mark;
}

/// The next creation does not trust what the fast path knows: tasks of a final one are not
/// deferred.
inline void close_fast_path(Worker& worker) { worker.stack.ask(); }
/// Before a region: in a team of more than `kManyStacks` the first task that the worker creates
/// there enters it in `stacks_in_use`.
inline void forget_stack(Worker& worker) {
  if (worker.count > TaskTeam::kManyStacks)
    close_fast_path(worker);
}
/// Another task's environment.
inline Env* change_env(Worker& worker, Env* env) {
  close_fast_path(worker);
  return std::exchange(worker.env, env);
}

/// Whether tasks lie on the stack that the current one, or a child of it that has ended, created.
inline bool has_own(const Worker& worker) { return worker.stack.top() != worker.stack.current; }

/// Whether the current task has neither tasks of its own on the stack nor a full frame; one branch
/// for both.
inline bool childless(const Worker& worker) {
  const Slot* current = worker.stack.current;
  uintptr_t own =
      reinterpret_cast<uintptr_t>(worker.stack.top()) - reinterpret_cast<uintptr_t>(current);
  return (current->link.load(std::memory_order_relaxed) | own) == 0;
}
/// So few that to keep their order would gain less than it costs.
inline constexpr int kFewChildren = 2;
/// Whether one of them is the current task's child. False: what thieves took is counted where it
/// belongs.
bool has_own_children(Worker& worker);

/// Makes a frame of the newest task that lies above `floor`, which is current or above that; null
/// if there is none. `run_own` runs it.
Slot* claim_own(Worker& worker, const Slot* floor);
inline Slot* claim_own(Worker& worker) { return claim_own(worker, worker.stack.current); }
/// Makes a frame of the newest task if it is a child of the current one.
Slot* claim_top_child(Worker& worker);
/// Makes a frame of the current task's newest child. Where others have left something above it, all
/// moves to the heap instead, unless as many wait as may.
Slot* claim_own_child(Worker& worker);
/// After a look for children of the current task: what others have left, if it is much, moves to
/// the heap, or is run where as many wait as may.
void bound_left(Worker& worker);

/// Gives the worker its stack when it first needs one. False: it has one, and that is full, or
/// there is no memory.
[[gnu::cold]] bool lay_out_stack(Worker& worker);

/// The frame ends for which there is more to do than to take it off: it left tasks behind, needed a
/// full frame, or thieves have been here. Returns the top.
[[gnu::noinline]] Slot* end_frame(Worker& worker, Slot* frame, Slot* outer);

/// Whether the frame on which a task has run has nothing above it (`on_top`) and is known to nobody
/// else.
[[gnu::always_inline]] inline bool is_bare(const SplitStack& stack, const Slot* frame,
                                           bool on_top) {
  // Relaxed: a thread that made its full frame took a child off above it, which this worker found
  // under the lock.
  if (!on_top) [[unlikely]]
    return false;
  if (frame->link.load(std::memory_order_relaxed) != 0) [[unlikely]]
    return false;
  return stack.is_private(frame);
}

/// The body of `frame`, which is current, has ended: the task of `outer` is current again. Returns
/// the top.
[[gnu::always_inline]] inline Slot* leave_frame(Worker& worker, Slot* frame, Slot* outer,
                                                bool on_top) {
  SplitStack& stack = worker.stack;
  XOMP_ASSERT(self == &worker && stack.current == frame && frame->depth == outer->depth + 1);
  if (!is_bare(stack, frame, on_top)) [[unlikely]]
    return end_frame(worker, frame, outer);
  stack.current = outer;
  stack.pop(frame);
  return frame - 1;
}
[[gnu::always_inline]] inline void leave_frame(Worker& worker, Slot* frame, Slot* outer) {
  leave_frame(worker, frame, outer, worker.stack.top() == frame);
}

inline void call_body(Worker&, Slot* frame) { frame->body(frame->arguments); }

/// Runs a task in its slot, which is a frame now and on top. Returns the top. `call`: as
/// `call_body`; an interface may do the same for its own tasks in a shorter way.
template <auto call = call_body>
[[gnu::always_inline]] inline Slot* run_slot(Worker& worker, Slot* frame, Slot* outer) {
  XOMP_ASSERT(worker.stack.current == outer && frame == worker.stack.top());
  frame->depth = outer->depth + 1;
  worker.stack.current = frame;
  call(worker, frame);
  Slot* ended = &sys::recomputed(*frame);
  // Not `top`: the compiler would take the frame from there, and have the next task wait for it.
  bool on_top = worker.stack.head.load(std::memory_order_relaxed) == ended + 1;
  return leave_frame(worker, ended, outer, on_top);
}

/// Runs such a task off the fast path, where the worker counts it as one that it ran itself.
inline void run_own(Worker& worker, Slot* frame) {
  ++worker.counters.self;
  run_slot(worker, frame, worker.stack.current);
}

/// A frame for a task whose arguments are elsewhere; null: none, it does without. `outer`: the one
/// before.
[[gnu::always_inline]] inline Slot* enter_frame(Worker& worker, void (*body)(void*), Slot*& outer) {
  SplitStack& stack = worker.stack;
  if (stack.top() + 1 >= stack.last && !lay_out_stack(worker)) [[unlikely]]
    return nullptr;
  XOMP_ASSERT(self == &worker);
  outer = stack.current;
  Slot* frame = stack.top() + 1;
  frame->body = body;
  frame->depth = stack.current->depth + 1;
  stack.push_frame(frame);
  stack.current = frame;
  return frame;
}

/// Calls `call` in a frame of its own.
template <class Call>
[[gnu::always_inline]] inline void in_frame(Worker& worker, void (*body)(void*), Call call) {
  Slot* outer = nullptr;
  Slot* frame = enter_frame(worker, body, outer);
  call();
  if (frame) [[likely]]
    leave_frame(worker, frame, outer);
}

/// Runs the current task's children in the order of their creation, as a serial program would, as
/// long as they are private; what they leave is left. False: there is more to look at above the
/// current frame.
bool run_in_order(Worker& worker);

/// Whether a task creates others is told by the slot above its frame: each that it runs has its
/// frame there, and one that goes elsewhere leaves a note.
inline void expect_no_creation(Slot* frame) { frame[1].depth = 0; }
inline bool has_created(const Slot* frame) { return frame[1].depth != 0; }
inline void note_creation(Worker& worker) {
  Slot* above = worker.stack.top() + 1;
  if (above < worker.stack.last)
    above->depth = 1;
}

/// Moves the tasks that lie above the current frame to the heap: what they inherit is about to
/// change, or to end. Those whose creators have ended do not become children of the current one,
/// for which it would wait, but in a team of one, where nobody else comes for them, and where as
/// many wait as may.
void move_to_heap(Worker& worker);
/// Moves those that are ordered, and what their clauses say to the table; in a team of one.
void move_ordered_to_heap(Worker& worker);

/// The nearest full frame at `frame` or below it; of those that somebody may wait in.
FullFrame* nearest_full_frame(Slot* frame);
/// What a task created in `frame` inherits.
Env* env_at(Slot* frame);

/// Half of a worker's slots are for frames, as many as fit onto its thread's stack, the other half
/// for all else: a task with a block of its own cannot do without a frame. It would count its
/// children as those of the task in which it itself is a child, and wait for itself.
inline constexpr std::size_t kSlotsForEachFrame = 2; // SplitStack::middle

/// Of the stack of a worker whose thread has so many bytes, where addresses are scarce: for as many
/// frames as such tasks can be nested, but no more than leaves others theirs.
constexpr std::size_t slots_where_limited(std::size_t stack_bytes) {
  constexpr std::size_t kOfNestedTask = 512, kLeast = 512, kMost = 2048; // bytes, frames
  return kSlotsForEachFrame * std::clamp(stack_bytes / kOfNestedTask, kLeast, kMost);
}

/// For a team of another size, before the region, when nobody looks: a larger stack where more
/// tasks may wait.
void open_stack(Worker& worker);
/// Gives back memory that earlier regions needed. Between two regions.
void trim_stack(Worker& worker);
void free_stack(Worker& worker);

/// Tasks of one worker that may wait before one is run at once: as many as both peers let wait
/// (docs/schedulers/auto.md).
inline int64_t most_waiting(const Worker& worker) {
  return std::max(kWaitOfOneCreator, kWaitForEachThread * worker.count);
}

/// Slots above a frame for each task that may wait: what thieves took leaves holes until then.
inline constexpr int64_t kRoomToMove = 4;

/// How many more slots of a worker's stack may be no frames: tasks that wait, and holes, also below
/// frames. Negative: fewer.
inline int64_t room_besides_frames(const SplitStack& stack) {
  Slot* end = std::min(stack.middle() + stack.current->depth, stack.last - 2);
  return end - (stack.top() + 1);
}

/// Whether what lies above the current frame is to be moved together: most of it is holes, or there
/// is no more room.
inline bool is_mostly_holes(const Worker& worker) {
  const SplitStack& stack = worker.stack;
  return stack.top() - stack.current - stack.ordered >= kRoomToMove * most_waiting(worker) ||
         (room_besides_frames(stack) <= 0 && stack.current < stack.top());
}

/// Whether so many wait for certain; where it is not, creation finds out.
inline bool known_full(const Worker& worker) {
  const SplitStack& stack = worker.stack;
  return !stack.is_asked() && !stack.holes &&
         stack.waiting(stack.current->depth) >= most_waiting(worker) &&
         sys::stack_pointer() >= worker.stack_limit;
}

} // namespace xomp
