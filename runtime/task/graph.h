// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs of tasks (OpenMP 6.0, section 14.3, taskgraph construct): while a task records, what it
// creates is entered here, with which comes after which; a replay runs all of it again, and matches
// no dependences.
#pragma once
#include <cstdint>

#include "sys/growing.h"
#include "task/depend_list.h"

namespace xomp {

/// What an entry point's interface does with a task of its own that a graph has.
struct GraphTaskType {
  /// What it was when it was created, for `renew`; may be null.
  void* (*save)(void* task);
  /// Before it runs another time. `saved`: what `save` returned.
  void (*renew)(void* task, const void* saved);
  /// Its body.
  void (*run)(void* task);
  /// It will not run any more.
  void (*forget)(void* task, void* saved);
};

/// A task as it is recorded.
struct GraphTask {
  void* task; ///< as GraphTaskType's functions take it; null: a wait of the task that records
  bool final;
  const void* codeptr; ///< of its construct
  const void* calls;   ///< the program's function; for listeners
};

/// One thread at a time records or replays it, or changes it in another way.
class TaskGraph {
public:
  explicit TaskGraph(const GraphTaskType& type) : type(type) {}

  /// Forgets all that was recorded.
  void begin_recording();
  void add(const GraphTask& task, const DependList& depend);
  /// The task that records has waited, or has run this one at once: all that was recorded comes
  /// before it, and all that will be behind it.
  void add_wait(const GraphTask& task);
  void end_recording();

  /// Creates, as tasks of the current task, what was recorded: as a task each, where nothing that
  /// comes before it is there, and what comes after it by whoever has run the last of those before.
  void replay();

private:
  struct Node;
  struct Accesses;

  Node& add_node(const GraphTask& task);
  void depend(Node& node, const Dependence& item);
  void put_behind_barrier(Node& node);
  void come_after_all(Node& node);
  Accesses& accesses_of(void* address);
  void clear_accesses();

  static void precede(Node& first, Node& second);
  static void change_group(Accesses& known, Access access);
  void prepare(Node& node) const;
  static void run_node(Node& node);
  static Node* release(Node& node);
  static void run_from(void* argument);
  static void submit(Node* node);

  static constexpr std::size_t kBuckets = 1024;
  const GraphTaskType& type;
  sys::Growing<Node*> nodes;
  Node* barrier = nullptr;        ///< the last node that came after all
  Accesses* table[kBuckets] = {}; ///< while it records
};

} // namespace xomp
