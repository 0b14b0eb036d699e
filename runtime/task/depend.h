// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Task dependences between siblings. The table (task/depend_table.h) belongs to the parent's full
// frame and is touched by the parent's worker only; the edges are released by whichever worker
// finishes the predecessor, without a lock. Protocol: task/README.md.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "conf/settings.h"
#include "sys/assert.h"
#include "sys/delay.h"
#include "task/depend_table.h"
#include "task/exclusion.h"
#include "task/heap.h"
#include "task/worker.h"
#include "trace/track.h"

namespace xomp {

struct DependEdge {
  DeferredTask* successor;
  DependEdge* next;
};

/// Memory for edges into a new task.
struct EdgeRoom {
  DependEdge* edges;
  std::size_t count;
};
/// How many have room in the block of a task with so many accesses: most have one edge for each, or
/// none.
inline std::size_t edges_in_block(std::size_t accesses) {
  return std::min<std::size_t>(accesses, 32);
}
/// For `edges` as `new_child` was told: at the end of the task's block.
inline EdgeRoom room_in_block(DeferredTask& task, std::size_t edges) {
  char* end = reinterpret_cast<char*>(&task) + std::size_t{task.units} * Heap::kAlign;
  return {reinterpret_cast<DependEdge*>(end) - edges, edges};
}

/// Tasks with dependences that a creator may leave behind before it waits itself (bounded memory).
inline uint32_t usual_waiting_limit(const Worker& worker) {
  return 1024 + 2 * settings.queue_size * static_cast<uint32_t>(worker.count);
}

/// Enters `task`, a new child of `parent`, with its accesses. True: all its predecessors are done
/// and it may be made ready by the caller; false: the last of them will make it ready, or, if it
/// excludes others (`task.exclusion`), one of these. `creator_runs`: as in Exclusion. `room` is
/// used first, and lives as long as the task.
bool enter_dependences(FullFrame& parent, DeferredTask& task, const DependList& list,
                       bool creator_runs, EdgeRoom room);

/// `task` is done: calls `ready` for each successor that waited for nothing else, and for each task
/// that waited for it because they exclude one another. Any worker.
template <class Ready> void release_successors(DeferredTask& task, Ready ready);

/// The unfinished siblings that a task with these accesses would have to wait for; `alone`: that
/// must not run meanwhile, so that mutexinoutset is as good as inout. `visit` may see a task more
/// than once.
template <class Visit>
void for_each_predecessor(FullFrame& parent, const DependList& list, bool alone, Visit visit);

/// For listeners: what the task's clauses say.
void trace_dependences(trace::Track& track, trace::TaskTrace& task, const DependList& list);

void destroy_table(DependTable& table);
/// Memory of the edges into `task` that had no room, and of what it excludes.
void free_edges(DeferredTask& task);

// ---- implementation of the templates ----

inline DependEdge* const kClosed = reinterpret_cast<DependEdge*>(1);

template <class Ready> void release_successors(DeferredTask& task, Ready ready) {
  // Release: whoever finds the list closed sees the task's effects. Acquire: the edges' contents.
  DependEdge* edge = task.successors.exchange(kClosed, std::memory_order_acq_rel);
  while (edge) {
    XOMP_ASSERT(edge != kClosed); // the task completes once
    sys::delay();
    DeferredTask* successor = edge->successor;
    DependEdge* next =
        edge->next; // the edge lives in the successor's memory: not touched after this
    // Acquire-release: the last predecessor passes on what the others did.
    if (successor->predecessors.fetch_sub(1, std::memory_order_acq_rel) == 1 &&
        (!successor->exclusion || admit(*successor)))
      ready(*successor);
    edge = next;
  }
  if (!task.exclusion) [[likely]]
    return;
  for (Exclusion* each = release_items(task); each;) {
    Exclusion* admitted = each;
    each = admitted->next; // it may be over at once
    if (!notify_creator(*admitted))
      ready(admitted->task);
  }
}

/// The tasks that a new access has to wait for.
inline TaskSpan predecessors_of(const DependTable& table, const Dependence& item) {
  const DependTable::Entry* entry = table.find(item.address);
  if (!entry)
    return table.all_memory_span();
  if (!entry->current.empty() && side_by_side(entry->current.access, item.access))
    return entry->before.span();
  return entry->current.span();
}

template <class Visit>
void for_each_predecessor(FullFrame& parent, const DependList& list, bool alone, Visit visit) {
  if (!parent.depends)
    return;
  const DependTable& table = *parent.depends;
  auto each = [&](TaskSpan span) {
    for (std::size_t k = 0; k < span.count; ++k) {
      if (span.tasks[k]->phase(std::memory_order_acquire) != kDone)
        visit(*span.tasks[k]);
    }
  };
  for (Dependence item : list) {
    if (alone && item.access == Access::kMutexinoutset)
      item.access = Access::kOut;
    if (item.address) {
      each(predecessors_of(table, item));
    } else {
      for (uint32_t k = 0; k < table.count; ++k)
        each(table.entries[k].current.span());
      each(table.all_memory_span());
    }
  }
}

} // namespace xomp
