// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Full frames: the children of a task that were really deferred, which worker may claim them, and
// when memory is freed. All functions are called on the full frame's owner unless said otherwise.
// Rules: task/README.md.
#pragma once
#include "task/worker.h"
#include "trace/stream.h"

namespace xomp {

/// The current task's full frame, made if need be.
FullFrame& own_full_frame(Worker& worker);

/// The current task begins: a tool hears of its waits also if it has no children. For that it needs
/// a full frame, without which a taskwait does nothing.
inline void make_waits_traced(Worker& worker) {
  if (trace::listening(trace::kTool)) [[unlikely]]
    own_full_frame(worker);
}

/// The full frame of a task of `owner`'s, in whose stack `frame` is; made by `maker` if need be,
/// the owner or a thief that holds the lock of that stack.
FullFrame& full_frame_at(Slot* frame, Worker& owner, Worker& maker);
/// `parent`, or of what is above it the first whose task has not ended. The caller keeps `parent`.
FullFrame* nearest_waiting(FullFrame& parent);

/// A full frame below `ancestor` for tasks whose creators have ended without one; `free_or_keep`
/// once it has them.
FullFrame& ended_full_frame(Worker& worker, FullFrame& ancestor);

/// Memory for a child with room for `size` bytes of arguments at a multiple of `align`, in phase
/// kWaiting, and for so many edges into it (task/depend.h). `add_ready` or `add_waiting` makes it
/// one of the full frame's, before anybody else may have it or directly after.
DeferredTask& new_child(Worker& worker, FullFrame& full_frame, std::size_t size, std::size_t align,
                        std::size_t edges = 0);
/// A child without unfinished predecessors.
void add_ready(FullFrame& full_frame, DeferredTask& task);
/// A child without unfinished predecessors that is offered to another worker.
void add_away(FullFrame& full_frame, DeferredTask& task);
/// A child that had unfinished predecessors when they were entered.
void add_waiting(FullFrame& full_frame, DeferredTask& task);

/// A child that is ready, claimed for the caller (phase kRunning); null if there is none. Of those
/// that were ready when they were created the newest, then the oldest of those that had to wait;
/// one that was offered to another worker is taken back only when there is no other. Looks
/// past `most` that are not, or some more: a wait asks often, and most of many children may be
/// busy.
DeferredTask* claim_child(Worker& worker, FullFrame& full_frame, uint32_t most);
/// Claims a child of those that `wanted(child, context)` picks; those that had to wait come first.
DeferredTask* claim_child(Worker& worker, FullFrame& full_frame, uint32_t most,
                          bool (*wanted)(const DeferredTask& child, const void* context),
                          const void* context);
template <class Pick>
DeferredTask* claim_child(Worker& worker, FullFrame& full_frame, uint32_t most, Pick wanted) {
  auto call = [](const DeferredTask& child, const void* context) {
    return (*static_cast<const Pick*>(context))(child);
  };
  return claim_child(worker, full_frame, most, call, &wanted);
}
/// Claims a child that is left to the end of its task: where everybody finds what is in queues, one
/// that is in none.
DeferredTask* claim_left(Worker& worker, FullFrame& full_frame);
/// Claims this child if it is ready and may run here.
bool claim_this(Worker& worker, DeferredTask& child);
bool has_ready(const FullFrame& full_frame);

/// Takes children that are done off the lists. Whether all are. Costs a constant number of steps
/// per call and one per child in all, so a wait may ask after every task.
bool drain_children(Worker& worker, FullFrame& full_frame);
/// The same of all tasks that have ended.
bool drain_ended(Worker& worker);
/// Whether `limit` children or more wait for predecessors. Counting costs as much as there are, if
/// there may be so many.
bool too_many_wait(Worker& worker, FullFrame& full_frame, uint32_t limit);

/// Frees the children that nobody needs any more; returns how many it looked at in vain.
uint32_t sweep(Worker& worker, FullFrame& full_frame);
/// Sweeps the full frames of the tasks that have ended, which count as well.
uint32_t sweep_ended(Worker& worker);

/// The task of `full_frame` has ended, and does not touch it any more. True: it has children left;
/// the caller has to see that the ready ones are run, then to call `free_or_keep`. Must precede the
/// task's own kDone.
bool leave_children(Worker& worker, FullFrame& full_frame);
/// The full frame of a task that has ended, with no ready child: kept until it has no child left.
void free_or_keep(Worker& worker, FullFrame& full_frame);

/// Takes one from the full frame's links, and frees it with the last. Any worker.
void unlink(Worker& worker, FullFrame& full_frame);

/// Gives memory back to the system that tasks of earlier regions needed. Between two regions.
void trim(Worker& worker);

/// Gives up every full frame that `worker` keeps; nobody runs tasks any more.
void free_all_full_frames(Worker& worker);

/// While the calling thread climbs from one full frame to the next above: none of these is freed.
/// Not longer than that takes.
class Climb {
public:
  explicit Climb(Worker& worker) : worker(worker) { worker.climbs.begin(); }
  ~Climb() { worker.climbs.end(); }
  Climb(const Climb&) = delete;
  Climb& operator=(const Climb&) = delete;

private:
  Worker& worker;
};
/// In a climb. Acquire: whoever has put another ancestor there (`leave_children`) had found it.
inline FullFrame* next_upwards(const FullFrame& full_frame) {
  return full_frame.ancestor.load(std::memory_order_acquire);
}

/// Whether the task of `from` is that of `scope` or descends from it; a logarithmic number of
/// steps. Any worker, as long as something keeps `from`: a claim, a queue entry or a pointer of a
/// ready list on a child of it, or the lock of the stack where it was found.
bool descends(const FullFrame& from, const FullFrame& scope);

/// Claims `task` if it is ready, giving up the pointers in `held` (kInQueue, kInReadyList) in the
/// same step. Any worker.
bool try_claim(DeferredTask& task, uint32_t held);

} // namespace xomp
