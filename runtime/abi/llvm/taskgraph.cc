// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "abi/llvm/taskgraph.h"

#include <cstring>
#include <new>

#include "abi/export.h"
#include "abi/llvm/after_fork.h"
#include "abi/llvm/ident.h"
#include "locks/locks.h"
#include "sys/growing.h"
#include "sys/memory.h"
#include "sys/report.h"
#include "task/full_frame.h"
#include "task/graph.h"
#include "task/group.h"

namespace xomp::llvm {
namespace {

TaskBlock& block_of(void* task) { return *static_cast<TaskBlock*>(task); }

/// Variables that have destructors are not restored.
void* save(void* task) {
  TaskBlock& block = block_of(task);
  if (block.flags & kHasDestructors)
    return nullptr;
  std::size_t bytes = block.bytes_of_task();
  void* copy = sys::allocate(bytes);
  std::memcpy(copy, block.task(), bytes);
  return copy;
}

void renew(void* task, const void* saved) {
  TaskBlock& block = block_of(task);
  if (saved)
    std::memcpy(block.task(), saved, block.bytes_of_task());
  block.task()->part = 0;
  block.running = block.again = false;
}

void run(void* task) { call_entry(block_of(task)); }

/// Its variables are not ended: what they refer to may be gone.
void forget(void* task, void* saved) {
  sys::release(saved);
  sys::release(block_of(task).memory());
}

constexpr GraphTaskType kTaskOfGraph{save, renew, run, forget};

GraphTask as_graph_task(TaskBlock* block, const void* codeptr) {
  if (!block)
    return {nullptr, false, codeptr, nullptr};
  return {block, (block->flags & kFinal) != 0, codeptr,
          reinterpret_cast<const void*>(block->task()->entry)};
}

} // namespace

/// What is known of one region of the program; stays until the process ends.
struct Graph {
  int32_t id;
  Graph* next;
  bool busy = false; ///< some thread is in the region; under the lock
  bool complete = false;
  bool again = false; ///< it has a task that cannot be replayed
  TaskGraph tasks{kTaskOfGraph};
  sys::Growing<Reduction> reductions;

  Graph(int32_t id, Graph* next) : id(id), next(next) {}

  void begin_recording() {
    tasks.begin_recording();
    reductions.clear();
    complete = again = false;
  }
  void end_recording() {
    tasks.end_recording();
    complete = !again;
  }
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
  if (!graph)
    graph = graphs = sys::create<Graph>(id, graphs);
  if (graph->busy)
    return nullptr;
  graph->busy = true;
  return graph;
}

void give_back(Graph& graph) {
  MutexGuard held(lock);
  graph.busy = false;
}

void replay(Member& member, Graph& graph) {
  if (!graph.reductions.empty())
    register_reductions_of_group(member, static_cast<int32_t>(graph.reductions.size()),
                                 graph.reductions.begin());
  graph.tasks.replay();
}

} // namespace

/// What the child creates in a region that was being recorded is not recorded.
void repair_taskgraphs_after_fork() {
  ::new (&lock) Mutex;
  for (const OpenGraph* each = open_graph; each; each = each->outer)
    if (each->graph)
      each->graph->again = true;
}

void record_task(TaskBlock& block, const void* codeptr, const DependList& depend) {
  open_graph->graph->tasks.add(as_graph_task(&block, codeptr), depend);
}

void record_wait(TaskBlock* block, const void* codeptr) {
  open_graph->graph->tasks.add_wait(as_graph_task(block, codeptr));
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
  if (records_here())
    record_anew(); // the outer one has no part of this one's tasks
  Graph* graph = take_graph(id);
  bool replays = graph && graph->complete && !(flags & kRerecord);
  bool records = graph && !replays;
  taskgroup_start(member);
  // A task has no identity but its full frame.
  open_graph = sys::create<OpenGraph>(graph, &own_full_frame(member), records, open_graph,
                                      records && member.blocks.close() ? &member.blocks : nullptr);
  if (replays)
    replay(member, *graph);
  else if (records)
    graph->begin_recording();
  return !replays;
}

XOMP_EXPORT void __kmpc_end_record_task(const Ident*, int32_t, int32_t, int32_t) {
  OpenGraph* open = open_graph;
  if (!open) [[unlikely]]
    sys::fatal("the end of a taskgraph that has not begun");
  end_group_with_reductions(me(), __builtin_return_address(0));
  if (open->records)
    open->graph->end_recording();
  if (open->graph)
    give_back(*open->graph);
  if (open->closed)
    open->closed->open();
  open_graph = open->outer;
  sys::destroy(open);
}
