// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// taskloop: each part is a copy of the task that the program made as a pattern.
#include <algorithm>
#include <cstring>

#include "abi/export.h"
#include "abi/llvm/ident.h"
#include "abi/llvm/schedule.h"
#include "abi/llvm/task.h"
#include "abi/llvm/taskgraph.h"
#include "events/events.h"
#include "task/group.h"
#include "task/taskloop.h"
#include "team/team.h"

using namespace xomp;
using namespace xomp::llvm;

namespace {

/// Copies the variables of the second task to the first that are not simply bytes; `last`: the part
/// has the loop's last iteration.
using Duplicate = void (*)(Task*, Task*, int32_t last);

struct Pattern {
  TaskBlock& block;
  std::size_t beyond, bytes; ///< of the block, and of its task
  uint32_t lead;
  std::size_t lower, upper; ///< where in the task the bounds are
  Bounds<uint64_t> loop;
  Duplicate duplicate;
  bool deferrable;
  const void* codeptr;
  const Ident* ident;
};

template <class T> T& at(Task* task, std::size_t offset) {
  return *reinterpret_cast<T*>(reinterpret_cast<char*>(task) + offset);
}

/// `fragment`: which iterations.
void create_part(Worker& worker, const Pattern& pattern, IterationBlock fragment, bool last) {
  Task* original = pattern.block.task();
  TaskBlock& block = allocate_block(worker, pattern.beyond, pattern.block.flags, pattern.lead);
  Task* task = block.task();
  std::memcpy(task, original, pattern.bytes);
  if (original->shared)
    task->shared = reinterpret_cast<char*>(task) +
                   (static_cast<char*>(original->shared) - reinterpret_cast<char*>(original));
  at<uint64_t>(task, pattern.lower) = pattern.loop.at(fragment.begin);
  at<uint64_t>(task, pattern.upper) = pattern.loop.at(fragment.end - 1);
  if (pattern.duplicate)
    pattern.duplicate(task, original, last);
  if (worker.track)
    trace::taskloop_chunk(*worker.track, fragment.begin, fragment.end - fragment.begin);
  if (pattern.deferrable) [[likely]]
    return defer(block, pattern.codeptr);
  if (block.flags & kRecorded) [[unlikely]]
    record_wait(&block, pattern.codeptr);
  submit(worker, block, {}, false, pattern.codeptr);
}

void create_parts(Worker& worker, const Pattern& pattern, uint64_t trips, unsigned flags,
                  uint64_t number) {
  TaskloopSplit split = split_taskloop(trips, flags, number, worker.count);
  uint64_t begin = 0;
  for (uint64_t i = 0; i < split.tasks; ++i) {
    uint64_t end = begin + std::min(split.size + (i < split.larger), trips - begin);
    create_part(worker, pattern, {begin, end}, end == trips);
    begin = end;
  }
  if (worker.track)
    trace::taskloop_chunk(*worker.track, 0, 0);
}

/// The core's flags for `kind`: 0 neither clause, 1 grainsize, 2 num_tasks.
unsigned flags_of(int32_t kind, bool strict) {
  return (kind == 1 ? unsigned{kTaskGrainsize} : 0) | (strict ? unsigned{kTaskStrict} : 0);
}

void run(const Pattern& pattern, bool grouped, unsigned flags, uint64_t number) {
  Worker& worker = me();
  uint64_t trips =
      pattern.loop.step > 0
          ? (pattern.loop.upper - pattern.loop.lower) / static_cast<uint64_t>(pattern.loop.step) + 1
          : pattern.loop.trips();
  bool told = worker.track;
  if (told) {
    const Task* task = pattern.block.task();
    describe(pattern.ident, pattern.codeptr, reinterpret_cast<const void*>(task->entry));
    trace::taskloop_begins(*worker.track, trips, pattern.codeptr, grouped);
  }
  if (grouped)
    open_group(worker);
  if (trips)
    create_parts(worker, pattern, trips, flags, number);
  if (grouped)
    taskgroup_end(worker, pattern.codeptr);
  if (told && worker.track)
    trace::taskloop_ends(*worker.track, trips, pattern.codeptr);
  bool recorded = pattern.block.flags & kRecorded;
  if (recorded && grouped) [[unlikely]]
    record_wait();
  pattern.block.flags &= ~uint32_t{kRecorded};
  free_block(pattern.block); // never a task itself
}

std::size_t offset_in(const Task* task, const uint64_t* bound) {
  return static_cast<std::size_t>(reinterpret_cast<const char*>(bound) -
                                  reinterpret_cast<const char*>(task));
}

Pattern pattern_of(Task* task, int32_t condition, const uint64_t* lower, const uint64_t* upper,
                   int64_t step, Duplicate duplicate, const Ident* ident, const void* codeptr) {
  TaskBlock& block = TaskBlock::of(task);
  return {block,
          block.bytes_beyond(),
          block.bytes_of_task(),
          block.bytes_in_front(),
          offset_in(task, lower),
          offset_in(task, upper),
          {*lower, *upper, step},
          duplicate,
          condition != 0,
          codeptr,
          ident};
}

} // namespace

XOMP_EXPORT void __kmpc_taskloop(const Ident* ident, int32_t, Task* task, int32_t condition,
                                 uint64_t* lower, uint64_t* upper, int64_t step, int32_t nogroup,
                                 int32_t kind, uint64_t number, Duplicate duplicate) {
  run(pattern_of(task, condition, lower, upper, step, duplicate, ident,
                 __builtin_return_address(0)),
      !nogroup, flags_of(kind, false), kind ? number : 0);
}

/// With the modifier `strict` of either clause.
XOMP_EXPORT void __kmpc_taskloop_5(const Ident* ident, int32_t, Task* task, int32_t condition,
                                   uint64_t* lower, uint64_t* upper, int64_t step, int32_t nogroup,
                                   int32_t kind, uint64_t number, int32_t strict,
                                   Duplicate duplicate) {
  run(pattern_of(task, condition, lower, upper, step, duplicate, ident,
                 __builtin_return_address(0)),
      !nogroup, flags_of(kind, strict), kind ? number : 0);
}
