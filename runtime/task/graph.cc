// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "task/graph.h"

#include <atomic>

#include "task/at_once.h"
#include "task/create.h"

namespace xomp {

struct TaskGraph::Node : GraphTask {
  const GraphTaskType& type;
  void* saved = nullptr; ///< by the type's `save`
  uint32_t predecessors = 0;
  sys::Growing<Node*> successors;
  std::atomic<uint32_t> waiting{0}; ///< predecessors that are not done, in a replay

  Node(const GraphTask& task, const GraphTaskType& type) : GraphTask(task), type(type) {}
};

/// What tasks with accesses to one address have been recorded last: the group that is current,
/// whose members have nothing to do with one another, and the one before.
struct TaskGraph::Accesses {
  void* address;
  Accesses* next;
  Access access = Access::kOut; ///< of the current group
  sys::Growing<Node*> current, before;

  Accesses(void* address, Accesses* next) : address(address), next(next) {}
};

void TaskGraph::begin_recording() {
  for (Node* each : nodes) {
    if (each->task)
      type.forget(each->task, each->saved);
    sys::destroy(each);
  }
  nodes.clear();
  barrier = nullptr;
}

TaskGraph::Node& TaskGraph::add_node(const GraphTask& task) {
  auto* node = sys::create<Node>(task, type);
  if (node->task)
    node->saved = type.save(node->task);
  nodes.add(node);
  return *node;
}

void TaskGraph::add(const GraphTask& task, const DependList& depend) {
  Node& node = add_node(task);
  for (const Dependence& item : depend)
    this->depend(node, item);
  put_behind_barrier(node);
}

void TaskGraph::add_wait(const GraphTask& task) { come_after_all(add_node(task)); }

void TaskGraph::end_recording() { clear_accesses(); }

void TaskGraph::depend(Node& node, const Dependence& item) {
  if (!item.address)
    return come_after_all(node);
  Accesses& known = accesses_of(item.address);
  // mutexinoutset is replayed in the order of creation, one of those that it allows.
  Access access = item.access == Access::kMutexinoutset ? Access::kOut : item.access;
  if (!side_by_side(access, known.access))
    change_group(known, access);
  for (Node* each : known.before)
    precede(*each, node);
  known.current.add(&node);
}

/// Behind its dependences.
void TaskGraph::put_behind_barrier(Node& node) {
  if (barrier && node.predecessors == 0 && &node != barrier)
    precede(*barrier, node);
}

void TaskGraph::come_after_all(Node& node) {
  for (Node* each : nodes)
    if (each != &node && each->successors.empty())
      precede(*each, node);
  clear_accesses();
  barrier = &node;
}

void TaskGraph::precede(Node& first, Node& second) {
  if (&first == &second || (!first.successors.empty() && first.successors.last() == &second))
    return;
  first.successors.add(&second);
  second.predecessors++;
}

TaskGraph::Accesses& TaskGraph::accesses_of(void* address) {
  auto bits = reinterpret_cast<uintptr_t>(address);
  Accesses*& bucket = table[(bits >> 3 ^ bits >> 12) % kBuckets];
  for (Accesses* each = bucket; each; each = each->next)
    if (each->address == address)
      return *each;
  return *(bucket = sys::create<Accesses>(address, bucket));
}

void TaskGraph::change_group(Accesses& known, Access access) {
  known.before.clear();
  for (Node* each : known.current)
    known.before.add(each);
  known.current.clear();
  known.access = access;
}

void TaskGraph::clear_accesses() {
  for (Accesses*& bucket : table)
    while (Accesses* each = bucket) {
      bucket = each->next;
      sys::destroy(each);
    }
}

void TaskGraph::replay() {
  for (Node* each : nodes)
    prepare(*each);
  for (Node* each : nodes)
    if (each->predecessors == 0)
      submit(each);
}

inline void TaskGraph::prepare(Node& node) const {
  // Relaxed: whoever runs a task before it gets the node from here.
  node.waiting.store(node.predecessors, std::memory_order_relaxed);
  if (node.task)
    type.renew(node.task, node.saved);
}

inline void TaskGraph::run_node(Node& node) {
  if (!node.task)
    return;
  TaskSpec spec{};
  spec.body = run_from;
  spec.flags = node.final ? unsigned{kTaskFinal} : 0;
  spec.stack = reinterpret_cast<uintptr_t>(__builtin_dwarf_cfa());
  spec.codeptr = node.codeptr;
  spec.calls = node.calls;
  Included included;
  begin_included(*self, spec, included);
  node.type.run(node.task);
  end_included(*self, included);
}

/// The task is done. One of those that can run now is for the caller, others are tasks of their
/// own.
inline TaskGraph::Node* TaskGraph::release(Node& node) {
  Node* mine = nullptr;
  for (Node* each : node.successors) {
    // Acquire-release: the last predecessor passes on what the others did.
    if (each->waiting.fetch_sub(1, std::memory_order_acq_rel) != 1)
      continue;
    if (mine)
      submit(mine);
    mine = each;
  }
  return mine;
}

/// The body of a task that runs a node, and then what comes after it, so that a chain of them is no
/// chain of creations.
void TaskGraph::run_from(void* argument) {
  Node* node = *static_cast<Node**>(argument);
  while (node && !self->discards) {
    run_node(*node);
    node = release(*node);
  }
}

void TaskGraph::submit(Node* node) {
  if (push_task(*self, run_from, &node, sizeof node, alignof(Node*)))
    return;
  TaskSpec spec{};
  spec.body = run_from;
  spec.data = &node;
  spec.size = sizeof node;
  spec.align = alignof(Node*);
  spec.deferrable = true;
  spec.stack = reinterpret_cast<uintptr_t>(__builtin_dwarf_cfa());
  spec.codeptr = node->codeptr;
  create_task(*self, spec);
}

} // namespace xomp
