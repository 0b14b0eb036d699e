// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "task/children.h"

#include <algorithm>
#include <initializer_list>

#include "sys/assert.h"
#include "sys/delay.h"
#include "sys/report.h"
#include "task/depend.h"
#include "task/full_frame.h"
#include "task/placement.h"
#include "task/sweep_due.h"

namespace xomp {
namespace {

bool can_free(const DeferredTask& task) {
  // Acquire pairs with the release in `complete` and with the give-up of queue entries and of
  // places in ready lists.
  return task.state.load(std::memory_order_acquire) == kDone && task.table_refs == 0;
}

void free_child(Worker& worker, FullFrame& full_frame, DeferredTask& task) {
  XOMP_ASSERT(task.phase(std::memory_order_relaxed) == kDone && task.parent == &full_frame);
  XOMP_ASSERT(full_frame.live > 0);
  if (task.exclusion || task.edge_blocks) [[unlikely]]
    free_edges(task);
  --full_frame.live;
  ++worker.children_due.freed;
  std::size_t bytes = task.units * Heap::kAlign;
  task.~DeferredTask();
  worker.heap.free(&task, bytes);
}

/// Where the worker gets memory from what the children of other tasks leave, nobody would look for
/// what this one's have left. Paid for by as many new ones.
[[gnu::noinline, gnu::cold]] void sweep_own(Worker& worker, FullFrame& full_frame) {
  sweep(worker, full_frame);
  full_frame.sweep_at = 2 * full_frame.live + FullFrame::kFewChildren;
}

} // namespace

DeferredTask& new_child(Worker& worker, FullFrame& full_frame, std::size_t size, std::size_t align,
                        std::size_t edges) {
  XOMP_ASSERT(self == &worker && full_frame.owner == &worker);
  bool traced = worker.track;
  std::size_t offset = sizeof(DeferredTask) + (traced ? sizeof(trace::TaskTrace) : 0);
  if (align > alignof(void*))
    offset = (offset + align - 1) & ~(align - 1);
  // An argument block that wants more than other blocks gets slack.
  std::size_t slack = align > Heap::kAlign ? align : 0;
  std::size_t bytes = Heap::size_for(offset + size + slack + edges * sizeof(DependEdge));
  if (bytes / Heap::kAlign > UINT32_MAX) [[unlikely]]
    sys::fatal("a task's argument block of %zu bytes is too large", size);
  if (full_frame.live >= full_frame.sweep_at) [[unlikely]]
    sweep_own(worker, full_frame);
  void* memory = worker.heap.reuse(bytes);
  if (!memory) {
    look_when_due(worker.children_due,
                  [&] { return sweep(worker, full_frame) + sweep_ended(worker); });
    memory = worker.heap.allocate(bytes);
  }
  auto* task = ::new (memory) DeferredTask();
  task->state.store(kWaiting, std::memory_order_relaxed);
  task->units = static_cast<uint32_t>(bytes / Heap::kAlign);
  task->parent = &full_frame;
  if (traced) {
    ::new (task + 1) trace::TaskTrace;
    task->traced = true;
  }
  auto address = reinterpret_cast<uintptr_t>(memory) + offset;
  if (slack)
    address = (address + align - 1) & ~(align - 1);
  task->payload = reinterpret_cast<void*>(address);
  ++full_frame.live;
  return *task;
}

bool try_claim(DeferredTask& task, uint32_t held) {
  XOMP_ASSERT((held & ~uint32_t{kInQueue | kInReadyList}) == 0 && (!held || task.names(held)));
  uint32_t state = task.state.load(std::memory_order_relaxed);
  while ((state & kPhase) == kReady) {
    uint32_t claimed = (state & ~(kPhase | held)) | kRunning;
    sys::delay();
    // Acquire: the claimant reads what the creator wrote.
    if (task.state.compare_exchange_weak(state, claimed, std::memory_order_acquire,
                                         std::memory_order_relaxed))
      return true;
  }
  return false;
}

void add_ready(FullFrame& full_frame, DeferredTask& task) {
  XOMP_ASSERT(task.parent == &full_frame);
  full_frame.children.push_front(task);
}

void add_away(FullFrame& full_frame, DeferredTask& task) {
  XOMP_ASSERT(task.parent == &full_frame);
  full_frame.away.push_back(task);
}

void add_waiting(FullFrame& full_frame, DeferredTask& task) {
  XOMP_ASSERT(task.parent == &full_frame);
  full_frame.waiting.push_back(task);
  ++full_frame.waiting_count;
}

namespace {

/// Takes a task that is done off its list: freed, or kept until nobody names it any more.
void retire(Worker& worker, FullFrame& full_frame, ChildList& list, DeferredTask** link) {
  DeferredTask& task = **link;
  XOMP_ASSERT(task.phase(std::memory_order_relaxed) == kDone);
  XOMP_ASSERT(&list != &full_frame.waiting || full_frame.waiting_count > 0);
  list.unlink(link);
  if (&list == &full_frame.waiting)
    --full_frame.waiting_count;
  if (can_free(task))
    free_child(worker, full_frame, task);
  else
    full_frame.spent.push_front(task);
}

bool drain(Worker& worker, FullFrame& full_frame, ChildList& list) {
  while (list.first) {
    if (list.first->phase(std::memory_order_acquire) != kDone)
      return false;
    retire(worker, full_frame, list, &list.first);
  }
  return true;
}

/// Claims a child for its parent's worker, with its queue entry if that is easily had: the task is
/// freed the sooner, and nobody comes to look at a stale one.
bool claim_and_retract(Worker& worker, DeferredTask& task) {
  // Relaxed: a queue entry is entered by this worker, before the task can be claimed.
  bool queued = task.state.load(std::memory_order_relaxed) & kInQueue;
  if (!queued || !worker.policy->retract || !worker.policy->retract(worker, &task))
    return try_claim(task, 0);
  if (try_claim(task, kInQueue))
    return true;
  XOMP_ASSERT(task.names(kInQueue));
  // Somebody else was faster. Relaxed: only this worker frees it.
  task.state.fetch_and(~uint32_t{kInQueue}, std::memory_order_relaxed);
  return false;
}

/// The first ready task among the first `steps` unfinished ones, of those that are `wanted`.
template <class Pick>
DeferredTask* claim_first(Worker& worker, FullFrame& full_frame, ChildList& list, uint32_t steps,
                          Pick wanted) {
  DeferredTask** link = &list.first;
  while (DeferredTask* task = *link) {
    uint32_t phase = task->phase(std::memory_order_acquire);
    if (phase == kDone) {
      retire(worker, full_frame, list, link);
      continue;
    }
    if (phase == kReady && !is_left_to_others(*task) && wanted(*task) &&
        claim_and_retract(worker, *task))
      return task;
    if (steps-- == 0)
      return nullptr;
    link = &task->sibling;
  }
  return nullptr;
}

template <class Pick>
DeferredTask* claim_first(Worker& worker, FullFrame& full_frame, uint32_t most,
                          std::initializer_list<ChildList*> lists, Pick wanted) {
  constexpr uint32_t kLeast = 64;
  XOMP_ASSERT(full_frame.owner == &worker);
  uint32_t steps = std::max(most, kLeast);
  for (ChildList* list : lists) {
    if (DeferredTask* task = claim_first(worker, full_frame, *list, steps, wanted))
      return task;
  }
  return nullptr;
}

/// Calls `visit` for each child that is ready until it returns true. Whether it did. Acquire:
/// what was done before it became ready (`Wanted::over`).
template <class Visit> bool visit_ready(const FullFrame& full_frame, Visit visit) {
  for (const ChildList* list : {&full_frame.children, &full_frame.away, &full_frame.waiting}) {
    for (DeferredTask* task = list->first; task; task = task->sibling) {
      if (task->phase(std::memory_order_acquire) == kReady && visit(*task))
        return true;
    }
  }
  return false;
}

/// The ready child of the highest priority; the newest of several.
template <class Pick> DeferredTask* claim_most_urgent(FullFrame& full_frame, Pick wanted) {
  for (;;) {
    DeferredTask* best = nullptr;
    visit_ready(full_frame, [&](DeferredTask& task) {
      if (!is_left_to_others(task) && (!best || task.priority > best->priority) && wanted(task))
        best = &task;
      return false;
    });
    if (!best || try_claim(*best, 0))
      return best;
  }
}

uint32_t sweep_list(Worker& worker, FullFrame& full_frame, ChildList& list) {
  uint32_t left = 0;
  DeferredTask** link = &list.first;
  while (DeferredTask* task = *link) {
    if (can_free(*task)) {
      retire(worker, full_frame, list, link);
    } else {
      ++left;
      link = &task->sibling;
    }
  }
  return left;
}

template <class Pick>
DeferredTask* claim_child(Worker& worker, FullFrame& full_frame, uint32_t most,
                          std::initializer_list<ChildList*> lists, Pick wanted) {
  if (full_frame.has_priorities) [[unlikely]] {
    drain_children(worker, full_frame); // not to go through them again
    return claim_most_urgent(full_frame, wanted);
  }
  return claim_first(worker, full_frame, most, lists, wanted);
}

} // namespace

DeferredTask* claim_child(Worker& worker, FullFrame& full_frame, uint32_t most) {
  return claim_child(worker, full_frame, most,
                     {&full_frame.children, &full_frame.waiting, &full_frame.away},
                     [](const DeferredTask&) { return true; });
}

DeferredTask* claim_child(Worker& worker, FullFrame& full_frame, uint32_t most,
                          bool (*wanted)(const DeferredTask& child, const void* context),
                          const void* context) {
  return claim_child(worker, full_frame, most,
                     {&full_frame.waiting, &full_frame.children, &full_frame.away},
                     [&](const DeferredTask& task) { return wanted(task, context); });
}

bool claim_this(Worker& worker, DeferredTask& child) {
  return child.phase(std::memory_order_relaxed) == kReady && !is_left_to_others(child) &&
         claim_and_retract(worker, child);
}

DeferredTask* claim_left(Worker& worker, FullFrame& full_frame) {
  bool any = !all_is_found(worker);
  return claim_child(worker, full_frame, UINT32_MAX,
                     {&full_frame.children, &full_frame.waiting, &full_frame.away},
                     [any](const DeferredTask& task) { return any || !task.names(kInQueue); });
}

bool has_ready(const FullFrame& full_frame) {
  return visit_ready(full_frame, [](DeferredTask&) { return true; });
}

bool drain_children(Worker& worker, FullFrame& full_frame) {
  // Acquire: what the stolen ones did.
  return full_frame.stolen.load(std::memory_order_acquire) == 0 &&
         drain(worker, full_frame, full_frame.children) &&
         drain(worker, full_frame, full_frame.waiting) &&
         drain(worker, full_frame, full_frame.away);
}

bool too_many_wait(Worker& worker, FullFrame& full_frame, uint32_t limit) {
  if (full_frame.waiting_count < limit)
    return false;
  DeferredTask** link = &full_frame.waiting.first;
  while (DeferredTask* task = *link) {
    if (task->phase(std::memory_order_acquire) == kDone)
      retire(worker, full_frame, full_frame.waiting, link);
    else
      link = &task->sibling;
  }
  return full_frame.waiting_count >= limit;
}

uint32_t sweep(Worker& worker, FullFrame& full_frame) {
  uint32_t left = sweep_list(worker, full_frame, full_frame.children);
  left += sweep_list(worker, full_frame, full_frame.away);
  left += sweep_list(worker, full_frame, full_frame.waiting);
  return left + sweep_list(worker, full_frame, full_frame.spent);
}

void free_children(Worker& worker, FullFrame& full_frame) {
  for (ChildList* list :
       {&full_frame.children, &full_frame.away, &full_frame.waiting, &full_frame.spent}) {
    while (DeferredTask* task = list->first) {
      list->unlink(&list->first);
      free_child(worker, full_frame, *task);
    }
  }
}

} // namespace xomp
