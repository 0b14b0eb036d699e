// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "task/depend.h"

#include <algorithm>

#include "events/events.h"
#include "sys/delay.h"
#include "sys/memory.h"

namespace xomp {

namespace {

/// Makes the edges into one task.
struct EdgeMaker {
  DeferredTask& task;
  EdgeRoom room;
  int32_t made = 0;

  /// Behind those of `span` that are not done.
  void after(TaskSpan span) {
    for (std::size_t i = 0; i < span.count; ++i) {
      DeferredTask& predecessor = *span.tasks[i];
      if (predecessor.phase(std::memory_order_acquire) == kDone || &predecessor == &task)
        continue;
      if (room.count == 0)
        get_room(span.count - i);
      if (link(predecessor))
        ++made;
    }
  }

private:
  bool link(DeferredTask& predecessor) {
    DependEdge* edge = room.edges;
    edge->successor = &task;
    // Acquire: what the predecessor did, if it is `kClosed`.
    DependEdge* head = predecessor.successors.load(std::memory_order_acquire);
    do {
      if (head == kClosed)
        return false;
      edge->next = head;
      sys::delay();
      // Release publishes the edge; acquire on failure because `head` may have become kClosed.
    } while (!predecessor.successors.compare_exchange_strong(head, edge, std::memory_order_release,
                                                             std::memory_order_acquire));
    ++room.edges;
    --room.count;
    if (task.traced && predecessor.traced && trace::listening(trace::kTool)) [[unlikely]]
      trace::tool_task_waits_for(trace_of(predecessor).tool, trace_of(task).tool);
    return true;
  }
  /// The first edge of each block is a link.
  [[gnu::noinline]] void get_room(std::size_t wanted) {
    constexpr std::size_t kLeast = 15;
    std::size_t count = std::max(wanted, kLeast);
    auto* block = static_cast<DependEdge*>(sys::allocate((count + 1) * sizeof(DependEdge)));
    block->next = task.edge_blocks;
    task.edge_blocks = block;
    room = {block + 1, count};
  }
};

/// One access, behind those before it.
void enter(DependTable& table, EdgeMaker& maker, Dependence item) {
  DeferredTask& task = maker.task;
  DependTable::Entry& entry = table.find_or_insert(item.address);
  Generation& current = entry.current;
  if (current.last() == &task) { // the address is listed twice
    if (current.access == Access::kOut || current.access == item.access)
      return;
    current.remove_last();
    item.access = Access::kOut;
  }
  if (!current.empty() && side_by_side(current.access, item.access)) {
    maker.after(entry.before.span());
    return current.append(task);
  }
  maker.after(current.span());
  entry.before.clear();
  Generation spare = entry.before;
  entry.before = current;
  spare.access = item.access;
  entry.current = spare;
  entry.current.append(task);
}

/// omp_all_memory: behind all, and in the place of all.
void enter_all_memory(DependTable& table, EdgeMaker& maker) {
  for (uint32_t i = 0; i < table.count; ++i)
    maker.after(table.entries[i].current.span());
  maker.after(table.all_memory_span());
  table.clear();
  table.set_all_memory(&maker.task);
}

/// The last step: counts the `edges` that were made. Whether their predecessors are done by now;
/// until here they only counted down from 0, so none of them has made the task ready.
bool all_done(DeferredTask& task, int32_t edges) {
  // Acquire: what the predecessors that are done already did. Release: one of them may be the last.
  return edges == 0 || task.predecessors.fetch_add(edges, std::memory_order_acq_rel) == -edges;
}

/// Names the items of those sets of which the task has become a member.
void enter_exclusion(FullFrame& parent, DeferredTask& task, const DependList& list,
                     bool creator_runs) {
  DependTable& table = *parent.depends;
  for (auto [address, access] : list) {
    if (access != Access::kMutexinoutset || !address)
      continue;
    const DependTable::Entry* entry = table.find(address);
    // Not if it was listed with another type as well: then it is ordered with all others.
    if (!entry || entry->current.access != access || entry->current.last() != &task)
      continue;
    if (!table.arbiter)
      table.arbiter = &make_arbiter(parent.owner->exclusion_lock);
    TaskSpan set = entry->current.span();
    exclude(task, address, set.count > 1 ? set.tasks[0] : nullptr, *table.arbiter,
            static_cast<uint32_t>(list.size()));
  }
  if (task.exclusion)
    task.exclusion->creator_runs = creator_runs;
}

} // namespace

bool enter_dependences(FullFrame& parent, DeferredTask& task, const DependList& list,
                       bool creator_runs, EdgeRoom room) {
  if (!parent.depends)
    parent.depends = sys::create<DependTable>();
  DependTable& table = *parent.depends;
  XOMP_ASSERT(task.predecessors.load(std::memory_order_relaxed) == 0);
  EdgeMaker maker{task, room};
  bool excludes = false;
  for (const Dependence& item : list) {
    if (!item.address) {
      enter_all_memory(table, maker);
      break;
    }
    excludes = excludes || item.access == Access::kMutexinoutset;
    enter(table, maker, item);
  }
  if (excludes)
    enter_exclusion(parent, task, list, creator_runs);
  return all_done(task, maker.made) && (!task.exclusion || admit(task));
}

namespace {

ompt_dependence_t as_ompt(const Dependence& item) {
  ompt_dependence_t traced;
  traced.variable.ptr = item.address;
  switch (item.access) {
  case Access::kIn:
    traced.dependence_type = ompt_dependence_type_in;
    break;
  case Access::kOut: // out as well: compilers have one kind for both
    traced.dependence_type =
        item.address ? ompt_dependence_type_inout : ompt_dependence_type_inout_all_memory;
    break;
  case Access::kInoutset:
    traced.dependence_type = ompt_dependence_type_inoutset;
    break;
  case Access::kMutexinoutset:
    traced.dependence_type = ompt_dependence_type_mutexinoutset;
    break;
  }
  return traced;
}

void notify_tool(trace::TaskTrace& task, const DependList& list) {
  auto* told =
      static_cast<ompt_dependence_t*>(sys::allocate(list.size() * sizeof(ompt_dependence_t)));
  std::transform(list.begin(), list.end(), told, as_ompt);
  trace::tool_task_depends(task.tool, told, static_cast<int>(list.size()));
  sys::release(told);
}

} // namespace

void trace_dependences(trace::Track& track, trace::TaskTrace& task, const DependList& list) {
  for (const Dependence& item : list)
    trace::task_depends(track, task, item.address, static_cast<uint8_t>(item.access));
  if (trace::listening(trace::kTool))
    notify_tool(task, list);
}

void destroy_table(DependTable& table) {
  table.clear();
  release_arbiter(table.arbiter);
  sys::release(table.entries);
  sys::destroy(&table);
}

void free_edges(DeferredTask& task) {
  while (DependEdge* block = task.edge_blocks) {
    task.edge_blocks = block->next;
    sys::release(block);
  }
  free_exclusion(task);
}

} // namespace xomp
