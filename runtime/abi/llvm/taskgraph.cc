// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "abi/llvm/taskgraph.h"

#include <atomic>
#include <cstring>
#include <new>

#include "abi/export.h"
#include "abi/llvm/after_fork.h"
#include "abi/llvm/ident.h"
#include "locks/locks.h"
#include "sys/memory.h"
#include "task/full_frame.h"
#include "task/group.h"
#include "task/taskwait.h"

namespace xomp::llvm {
namespace {

/// An array that grows.
template <class T> class Growing {
public:
  ~Growing() { sys::release(items); }
  void add(const T& item) {
    if (count == room)
      grow();
    items[count++] = item;
  }
  void clear() { count = 0; }
  uint32_t size() const { return count; }
  T& operator[](uint32_t i) { return items[i]; }
  T* begin() { return items; }
  T* end() { return items + count; }

private:
  void grow() {
    uint32_t larger = room ? room * 2 : 4;
    auto* memory = static_cast<T*>(sys::allocate(larger * sizeof(T)));
    if (count)
      std::memcpy(memory, items, count * sizeof(T));
    sys::release(items);
    items = memory;
    room = larger;
  }

  T* items = nullptr;
  uint32_t count = 0, room = 0;
};

/// A recorded task.
struct Node {
  TaskBlock* block;    ///< null: a wait of the region's task
  void* saved;         ///< what it was when it was created; null: its variables have destructors
  const void* codeptr; ///< of its construct
  uint32_t predecessors = 0;
  Growing<Node*> successors;
  std::atomic<uint32_t> waiting{0}; ///< predecessors that are not done, in a replay
};

/// What tasks with accesses to one address have been recorded last: the group that is current,
/// whose members have nothing to do with one another, and the one before.
struct Accesses {
  void* address;
  Access access = Access::kOut; ///< of the current group
  Growing<Node*> current, before;
  Accesses* next;
};

} // namespace

class Graph {
public:
  explicit Graph(int32_t id) : id(id) {}

  Node& add(TaskBlock* block, const void* codeptr) {
    auto* node = sys::create<Node>();
    node->block = block;
    node->codeptr = codeptr;
    node->saved = nullptr;
    if (block && !(block->flags & kHasDestructors))
      node->saved = copy_of_task(*block);
    nodes.add(node);
    return *node;
  }

  void depend(Node& node, const Dependence& item) {
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
  void put_behind_barrier(Node& node) {
    if (barrier && node.predecessors == 0 && &node != barrier)
      precede(*barrier, node);
  }
  /// All that was recorded comes before it, and all that will be behind it.
  void come_after_all(Node& node) {
    for (Node* each : nodes)
      if (each != &node && each->successors.size() == 0)
        precede(*each, node);
    clear_accesses();
    barrier = &node;
  }

  void replay() {
    for (Node* each : nodes)
      prepare(*each);
    for (Node* each : nodes)
      if (each->predecessors == 0)
        submit_node(each);
  }

  /// Records anew. The blocks' variables are not ended: what they refer to may be gone.
  void begin_recording() {
    for (Node* each : nodes) {
      sys::release(each->saved);
      if (each->block)
        sys::release(each->block->memory());
      sys::destroy(each);
    }
    nodes.clear();
    reductions.clear();
    barrier = nullptr;
    complete = false;
    again = false;
  }
  void end_recording() {
    clear_accesses();
    complete = !again;
  }

  const int32_t id;
  Graph* next = nullptr;
  bool busy = false; ///< some thread is in the region; under the lock
  bool complete = false;
  bool again = false; ///< it has a task that cannot be replayed
  Growing<Reduction> reductions;

private:
  static void* copy_of_task(TaskBlock& block) {
    std::size_t bytes = block.bytes_of_task();
    void* copy = sys::allocate(bytes);
    std::memcpy(copy, block.task(), bytes);
    return copy;
  }

  static void precede(Node& first, Node& second) {
    if (&first == &second ||
        (first.successors.size() && first.successors[first.successors.size() - 1] == &second))
      return;
    first.successors.add(&second);
    second.predecessors++;
  }

  Accesses& accesses_of(void* address) {
    auto bits = reinterpret_cast<uintptr_t>(address);
    Accesses*& bucket = table[(bits >> 3 ^ bits >> 12) % kBuckets];
    for (Accesses* each = bucket; each; each = each->next)
      if (each->address == address)
        return *each;
    auto* fresh = sys::create<Accesses>();
    fresh->address = address;
    fresh->next = bucket;
    return *(bucket = fresh);
  }
  static void change_group(Accesses& known, Access access) {
    known.before.clear();
    for (Node* each : known.current)
      known.before.add(each);
    known.current.clear();
    known.access = access;
  }
  void clear_accesses() {
    for (Accesses*& bucket : table)
      while (Accesses* each = bucket) {
        bucket = each->next;
        sys::destroy(each);
      }
  }

  static void prepare(Node& node) {
    // Relaxed: whoever runs a task before it gets the node from here.
    node.waiting.store(node.predecessors, std::memory_order_relaxed);
    if (!node.block)
      return;
    if (node.saved)
      std::memcpy(node.block->task(), node.saved, node.block->bytes_of_task());
    node.block->task()->part = 0;
    node.block->running = node.block->again = false;
  }

  static void run_node(Node& node) {
    if (!node.block)
      return;
    TaskSpec spec{};
    spec.body = run_from;
    spec.flags = node.block->flags & kFinal ? unsigned{kTaskFinal} : 0;
    spec.stack = reinterpret_cast<uintptr_t>(__builtin_dwarf_cfa());
    spec.codeptr = node.codeptr;
    spec.calls = reinterpret_cast<const void*>(node.block->task()->entry);
    Included included;
    begin_included(me(), spec, included);
    call_entry(*node.block);
    end_included(me(), included);
  }

  /// The task is done. One of those that can run now is for the caller, others are tasks of their
  /// own.
  static Node* release(Node& node) {
    Node* mine = nullptr;
    for (Node* each : node.successors) {
      // Acquire-release: the last predecessor passes on what the others did.
      if (each->waiting.fetch_sub(1, std::memory_order_acq_rel) != 1)
        continue;
      if (mine)
        submit_node(mine);
      mine = each;
    }
    return mine;
  }

  /// The body of a task that runs a node, and then what comes after it, so that a chain of them is
  /// no chain of creations.
  static void run_from(void* argument) {
    Node* node = *static_cast<Node**>(argument);
    while (node && !self->discards) {
      run_node(*node);
      node = release(*node);
    }
  }

  static void submit_node(Node* node) {
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
    create_task(me(), spec);
  }

  static constexpr std::size_t kBuckets = 1024;
  Growing<Node*> nodes;
  Node* barrier = nullptr; ///< the last node that came after all
  Accesses* table[kBuckets] = {};
};

namespace {

constinit Mutex lock; // of what follows
constinit Graph* graphs = nullptr;

/// The graph for this execution; null where another thread is in the region.
Graph* take_graph(int32_t id) {
  MutexGuard held(lock);
  Graph* graph = graphs;
  while (graph && graph->id != id)
    graph = graph->next;
  if (!graph) {
    graph = sys::create<Graph>(id);
    graph->next = graphs;
    graphs = graph;
  }
  if (graph->busy)
    return nullptr;
  graph->busy = true;
  return graph;
}

void give_back(Graph& graph) {
  MutexGuard held(lock);
  graph.busy = false;
}

} // namespace

void repair_taskgraphs_after_fork() { ::new (&lock) Mutex; }

void record_task(TaskBlock& block, const void* codeptr, const DependList& depend) {
  Graph& graph = *open_graph->graph;
  Node& node = graph.add(&block, codeptr);
  for (const Dependence& item : depend)
    graph.depend(node, item);
  graph.put_behind_barrier(node);
}

void record_wait(TaskBlock* block, const void* codeptr) {
  Graph& graph = *open_graph->graph;
  graph.come_after_all(graph.add(block, codeptr));
}

void record_reductions(int32_t count, const Reduction* items) {
  for (int32_t i = 0; i < count; ++i)
    open_graph->graph->reductions.add(items[i]);
}

void record_anew() { open_graph->graph->again = true; }

} // namespace xomp::llvm

using namespace xomp;
using namespace xomp::llvm;

namespace {
enum GraphFlag : int32_t { kNowait = 1, kRerecord = 2 };
} // namespace

/// Whether the program is to execute the region. The region's end waits for its tasks, with
/// `nowait` as well.
XOMP_EXPORT int32_t __kmpc_start_record_task(const Ident*, int32_t, int32_t flags, int32_t id) {
  Member& member = me();
  Graph* graph = take_graph(id);
  bool replays = graph && graph->complete && !(flags & kRerecord);
  taskgroup_start(member);
  // A task has no identity but its full frame.
  open_graph =
      sys::create<OpenGraph>(graph, &own_full_frame(member), graph && !replays, open_graph);
  if (!replays) {
    if (graph)
      graph->begin_recording();
    return 1;
  }
  if (graph->reductions.size())
    register_reductions_of_group(member, static_cast<int32_t>(graph->reductions.size()),
                                 graph->reductions.begin());
  graph->replay();
  return 0;
}

XOMP_EXPORT void __kmpc_end_record_task(const Ident*, int32_t, int32_t, int32_t) {
  OpenGraph* open = open_graph;
  end_group_with_reductions(me(), __builtin_return_address(0));
  if (open->records)
    open->graph->end_recording();
  if (open->graph)
    give_back(*open->graph);
  open_graph = open->outer;
  sys::destroy(open);
}
