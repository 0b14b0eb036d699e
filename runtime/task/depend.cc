// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dependence clauses of the GNU ABI, and the edges between tasks.
#include "task/depend.h"

#include "events/events.h"
#include "sys/delay.h"
#include "sys/memory.h"

namespace xomp {

DependList::Item DependList::of_object(void** object) const {
  // {address, kind}; kinds of the ABI: 1 in, 2 out, 3 inout, 4 mutexinoutset, 5 inoutset.
  switch (reinterpret_cast<uintptr_t>(object[1])) {
  case 1:
    return {object[0], Access::kIn};
  case 4:
    return {object[0], mutexinoutset()};
  case 5:
    return {object[0], Access::kInoutset};
  default:
    return {object[0], Access::kOut};
  }
}

namespace {

/// Counts edges while they are made; memory comes in one block, sized before.
struct EdgeMaker {
  DeferredTask& task;
  DependEdge* edges;
  std::size_t used = 0;

  void after(DeferredTask& predecessor) {
    if (&predecessor == &task)
      return;
    DependEdge* edge = &edges[used];
    edge->successor = &task;
    DependEdge* head = predecessor.successors.load(std::memory_order_acquire);
    do {
      if (head == kClosed)
        return;
      edge->next = head;
      // Counted before it is visible: the predecessor may finish at once.
      task.predecessors.fetch_add(1, std::memory_order_relaxed);
      sys::delay();
      // Release publishes the edge; acquire on failure because `head` may have become kClosed.
      if (predecessor.successors.compare_exchange_strong(head, edge, std::memory_order_release,
                                                         std::memory_order_acquire)) {
        ++used;
        if (task.traced && predecessor.traced && trace::listening(trace::kTool)) [[unlikely]]
          trace::tool_task_waits_for(trace_of(predecessor).tool, trace_of(task).tool);
        return;
      }
      task.predecessors.fetch_sub(1, std::memory_order_relaxed);
    } while (true);
  }
};

void enter(DependTable& table, DeferredTask& task, const DependList::Item& item) {
  DependTable::Entry& entry = table.find_or_insert(item.address);
  Generation& current = entry.current;
  if (current.last() == &task) { // the address is listed twice
    if (current.access == Access::kOut || current.access == item.access)
      return;
    current.remove_last();
    if (item.access != Access::kOut)
      return enter(table, task, {item.address, Access::kOut});
  }
  if (!current.empty() && side_by_side(current.access, item.access))
    return current.append(task);
  entry.before.clear();
  Generation spare = entry.before;
  entry.before = current;
  spare.access = item.access;
  entry.current = spare;
  entry.current.append(task);
}

/// Names the items of those sets of which the task has become a member.
void enter_exclusion(DependTable& table, DeferredTask& task, const DependList& list,
                     bool creator_runs) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    auto [address, access] = list[i];
    if (access != Access::kMutexinoutset || !address)
      continue;
    const DependTable::Entry* entry = table.find(address);
    // Not if it was listed with another type as well: then it is ordered with all others.
    if (!entry || entry->current.access != access || entry->current.last() != &task)
      continue;
    if (!table.arbiter)
      table.arbiter = &make_arbiter();
    TaskSpan set = entry->current.span();
    exclude(task, address, set.count > 1 ? set.tasks[0] : nullptr, *table.arbiter,
            static_cast<uint32_t>(list.size()));
  }
  if (task.exclusion)
    task.exclusion->creator_runs = creator_runs;
}

} // namespace

std::size_t count_predecessors(FullFrame& parent, const DependList& list) {
  std::size_t count = 0;
  for_each_predecessor(parent, list, [&](DeferredTask&) { ++count; });
  return count;
}

bool enter_dependences(FullFrame& parent, DeferredTask& task, const DependList& list,
                       bool creator_runs, std::size_t room) {
  if (!parent.depends)
    parent.depends = sys::create<DependTable>();
  DependTable& table = *parent.depends;
  // 1 more than the edges, so that no predecessor can make the task ready before all are entered.
  task.predecessors.store(1, std::memory_order_relaxed);
  bool apart = room == kNotCounted;
  if (apart)
    room = count_predecessors(parent, list);
  if (apart && room) {
    task.edges = static_cast<DependEdge*>(sys::allocate(room * sizeof(DependEdge)));
    task.edges_apart = true;
  }
  if (room) {
    EdgeMaker maker{task, task.edges};
    for_each_predecessor(parent, list, [&](DeferredTask& predecessor) {
      XOMP_ASSERT(maker.used < room);
      maker.after(predecessor);
    });
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].address) {
      enter(table, task, list[i]);
    } else {
      table.clear();
      table.set_all_memory(&task);
      break;
    }
  }
  enter_exclusion(table, task, list, creator_runs);
  XOMP_ASSERT(task.predecessors.load(std::memory_order_relaxed) > 0);
  // Acquire: what the predecessors that are done already did.
  return task.predecessors.fetch_sub(1, std::memory_order_acq_rel) == 1 &&
         (!task.exclusion || admit(task));
}

namespace {

ompt_dependence_t as_ompt(const DependList::Item& item) {
  ompt_dependence_t told;
  told.variable.ptr = item.address;
  switch (item.access) {
  case Access::kIn:
    told.dependence_type = ompt_dependence_type_in;
    break;
  case Access::kOut: // out as well: the ABI has one kind for both
    told.dependence_type =
        item.address ? ompt_dependence_type_inout : ompt_dependence_type_inout_all_memory;
    break;
  case Access::kInoutset:
    told.dependence_type = ompt_dependence_type_inoutset;
    break;
  case Access::kMutexinoutset:
    told.dependence_type = ompt_dependence_type_mutexinoutset;
    break;
  }
  return told;
}

void notify_tool(trace::TaskTrace& task, const DependList& list) {
  auto* told =
      static_cast<ompt_dependence_t*>(sys::allocate(list.size() * sizeof(ompt_dependence_t)));
  for (std::size_t i = 0; i < list.size(); ++i)
    told[i] = as_ompt(list[i]);
  trace::tool_task_depends(task.tool, told, static_cast<int>(list.size()));
  sys::release(told);
}

} // namespace

void trace_dependences(trace::Track& track, trace::TaskTrace& task, const DependList& list) {
  for (std::size_t i = 0; i < list.size(); ++i)
    trace::task_depends(track, task, list[i].address, static_cast<uint8_t>(list[i].access));
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
  if (task.edges_apart)
    sys::release(task.edges);
  free_exclusion(task);
}

} // namespace xomp
