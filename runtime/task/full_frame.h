// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Full frames: when they are made, what keeps them after their tasks, and when their memory is
// freed. All functions are called on the full frame's owner unless said otherwise. Rules:
// task/README.md.
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
/// A full frame below `ancestor` for tasks whose creators have ended without one; `free_or_keep`
/// once it has them.
FullFrame& ended_full_frame(Worker& worker, FullFrame& ancestor);

/// `drain_children` of all tasks that have ended. Whether all of their children are done.
bool drain_ended(Worker& worker);
/// Sweeps the children of the tasks that have ended, whose full frames count as well.
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

} // namespace xomp
