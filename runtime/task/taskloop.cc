// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "task/taskloop.h"

#include <algorithm>

#include "task/group.h"
#include "task/reduction.h"

namespace xomp {
namespace {

template <class Number> struct Block {
  Number first, past;
  uintptr_t* reductions;
};

/// The argument of the copy function below: create_task hands the source on untouched.
template <class Number> struct CopySource {
  void (*copy)(void*, void*);
  Block<Number>* block;
  Number first, past;
};

/// The program's own copy function leaves out the bounds.
template <class Number> void copy_with_bounds(void* to, void* from) {
  auto& source = *static_cast<CopySource<Number>*>(from);
  source.copy(to, source.block);
  auto& block = *static_cast<Block<Number>*>(to);
  block.first = source.first;
  block.past = source.past;
}

template <class Number>
void create_part(Worker& worker, TaskSpec& task, const TaskloopSpec& spec, uint64_t begin,
                 uint64_t end) {
  auto& block = *static_cast<Block<Number>*>(spec.data);
  auto first = static_cast<Number>(spec.first + begin * spec.step);
  auto past = static_cast<Number>(end == spec.trips ? spec.past : spec.first + end * spec.step);
  if (spec.copy) {
    CopySource<Number> source{spec.copy, &block, first, past};
    task.data = &source;
    create_task(worker, task);
  } else {
    // Copied as it is, or used in place by a task that runs at once.
    block.first = first;
    block.past = past;
    if ((task.flags & ~(kTaskUntied | kTaskMergeable)) == 0 &&
        (refused(worker) || not_worth_offering(worker, spec.body)))
      run_at_once(worker, spec.body, spec.data);
    else
      create_task(worker, task);
  }
}

template <class Number> void create_parts(Worker& worker, const TaskloopSpec& spec) {
  TaskSpec task{};
  task.body = spec.body;
  task.data = spec.data;
  task.copy = spec.copy ? copy_with_bounds<Number> : nullptr;
  task.size = spec.size;
  task.align = spec.align;
  task.deferrable = spec.flags & kTaskIf;
  task.flags = spec.flags & (kTaskUntied | kTaskFinal | kTaskMergeable);
  if (spec.priority)
    task.flags |= kTaskPriority;
  task.priority = spec.priority;
  task.stack = sys::stack_pointer() + 64;
  TaskloopSplit split = split_taskloop(spec.trips, spec.flags, spec.number, worker.count);
  uint64_t begin = 0;
  for (uint64_t i = 0; i < split.tasks; ++i) {
    uint64_t end = begin + std::min(split.size + (i < split.larger), spec.trips - begin);
    create_part<Number>(worker, task, spec, begin, end);
    begin = end;
  }
}

} // namespace

TaskloopSplit split_taskloop(uint64_t trips, unsigned flags, uint64_t number, int workers) {
  uint64_t tasks = number;
  if (flags & kTaskGrainsize) {
    uint64_t grain = std::max<uint64_t>(number, 1);
    if (flags & kTaskStrict)
      return {(trips - 1) / grain + 1, grain, 0};
    tasks = std::max<uint64_t>(trips / grain, 1); // between grain and 2 * grain iterations each
  } else if (number == 0) {
    tasks = static_cast<uint64_t>(workers);
  }
  tasks = std::min(tasks, trips);
  return {tasks, trips / tasks, trips % tasks};
}

template <class Number> void taskloop(Worker& worker, const TaskloopSpec& spec) {
  bool grouped = !(spec.flags & kTaskNogroup);
  bool reduces = grouped && (spec.flags & kTaskReduction);
  uintptr_t* reductions = reduces ? static_cast<Block<Number>*>(spec.data)->reductions : nullptr;
  if (spec.trips == 0 || worker.tasks->cancelled.load(std::memory_order_relaxed)) {
    // Tells the program that there is nothing to combine.
    if (reduces)
      reductions[2] = 0;
    return;
  }
  if (grouped)
    taskgroup_start(worker);
  if (reduces)
    register_group_reductions(worker, reductions);
  create_parts<Number>(worker, spec);
  if (grouped)
    taskgroup_end(worker);
}

template void taskloop<long>(Worker&, const TaskloopSpec&);
template void taskloop<unsigned long long>(Worker&, const TaskloopSpec&);

} // namespace xomp
