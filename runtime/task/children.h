// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The children of a task that were really deferred: which of them its worker may claim, and when
// their memory is freed. All functions are called on the full frame's owner unless said otherwise.
// Rules: task/README.md.
#pragma once
#include "task/worker.h"

namespace xomp {

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
/// Claims a child that is left to the end of its task: where everybody finds what is in queues, one
/// that is in none.
DeferredTask* claim_left(Worker& worker, FullFrame& full_frame);
/// Claims this child if it is ready and may run here.
bool claim_this(Worker& worker, DeferredTask& child);
bool has_ready(const FullFrame& full_frame);

/// Takes children that are done off the lists. Whether all are. Costs a constant number of steps
/// per call and one per child in all, so a wait may ask after every task.
bool drain_children(Worker& worker, FullFrame& full_frame);
/// Whether `limit` children or more wait for predecessors. Counting costs as much as there are, if
/// there may be so many.
bool too_many_wait(Worker& worker, FullFrame& full_frame, uint32_t limit);

/// Frees the children that nobody needs any more; returns how many it looked at in vain.
uint32_t sweep(Worker& worker, FullFrame& full_frame);
/// Frees all of them, whatever names them still.
void free_children(Worker& worker, FullFrame& full_frame);

/// Claims `task` if it is ready, giving up the pointers in `held` (kInQueue, kInReadyList) in the
/// same step. Any worker.
bool try_claim(DeferredTask& task, uint32_t held);

} // namespace xomp
