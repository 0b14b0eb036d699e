// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// taskgraph: the first execution of the region records its tasks and which of them come after
// which; later ones run what was recorded (task/graph.h).
#pragma once
#include <cstdint>

#include "abi/llvm/task.h"
#include "abi/llvm/task_reduction.h"
#include "task/frame.h"
#include "team/team.h"

namespace xomp::llvm {

struct Graph;

/// A region that the calling thread is in the middle of.
struct OpenGraph {
  Graph* graph; ///< null: it is neither recorded nor replayed
  const FullFrame*
      full_frame; ///< of the task that has the region: what others create is no part of it
  bool records;
  OpenGraph* outer;
  FreeBlocks* closed; ///< while it records, so that each task is asked whether it is; or null
};
inline constinit thread_local OpenGraph* open_graph = nullptr;

/// Whether the current task records what it creates.
[[gnu::always_inline]] inline bool records_here() {
  return open_graph && open_graph->records && current_full_frame(*self) == open_graph->full_frame;
}

/// A task is about to be created, after those that its dependences say.
void record_task(TaskBlock& block, const void* codeptr, const DependList& depend = {});
/// The current task has waited: what it creates from here on comes after all that it has created.
/// `block`: it has run that task at once.
void record_wait(TaskBlock* block = nullptr, const void* codeptr = nullptr);
/// The tasks take part in these reductions.
void record_reductions(int32_t count, const Reduction* items);
/// A task that cannot be run a second time: every execution records anew.
void record_anew();

} // namespace xomp::llvm
