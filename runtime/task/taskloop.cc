// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "task/taskloop.h"

#include <algorithm>
#include <climits>
#include <type_traits>
#include <utility>

#include "events/events.h"
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

/// The iterations of one task.
struct Part {
  uint64_t begin, end;
};

/// A taskloop's parts, one after the other.
class Parts {
public:
  Parts(uint64_t trips, const TaskloopSplit& split) : trips(trips), split(split) {}
  bool next(Part& part) {
    if (number == split.tasks)
      return false;
    part.begin = begin;
    part.end = begin += std::min(split.size + (number < split.larger), trips - begin);
    ++number;
    return true;
  }
  uint64_t so_far() const { return number; }

private:
  uint64_t trips;
  TaskloopSplit split;
  uint64_t number = 0, begin = 0;
};

/// The bound of a part. The last one as well lies on the grid of steps: a loop that leaves its
/// type's range with the last increment stops at the value that this bound has become in that type,
/// and nowhere else.
template <class Number> Number bound(const TaskloopSpec& spec, uint64_t iteration) {
  return static_cast<Number>(spec.first + iteration * spec.step);
}

/// In the program's block, which is copied as it is, or used in place by a task that runs at once.
template <class Number> void set_bounds(const TaskloopSpec& spec, const Part& part) {
  auto& block = *static_cast<Block<Number>*>(spec.data);
  block.first = bound<Number>(spec, part.begin);
  block.past = bound<Number>(spec, part.end);
}

/// `told`: a tool hears which part the task is.
template <class Number, bool told>
void create_part(Worker& worker, TaskSpec& task, const TaskloopSpec& spec, const Part& part) {
  if (told && worker.track)
    trace::taskloop_chunk(*worker.track, part.begin, part.end - part.begin);
  if (!spec.copy) {
    set_bounds<Number>(spec, part);
    return create_task(worker, task);
  }
  CopySource<Number> source{spec.copy, static_cast<Block<Number>*>(spec.data),
                            bound<Number>(spec, part.begin), bound<Number>(spec, part.end)};
  task.data = &source;
  create_task(worker, task);
}

/// As many tasks wait as may (`known_full`): runs parts from `part` on where they are created, one
/// after the other on one frame as long as that is so.
template <class Number>
[[gnu::noinline, gnu::aligned(64)]] void run_parts(Worker& worker, const TaskloopSpec& spec,
                                                   Part& part, Parts& parts) {
  SplitStack& stack = worker.stack;
  const Slot* oldest = stack.begin();
  // Relaxed: hints, as in `known_full`. Thieves take the oldest, or leave holes.
  auto still_full = [&] { return !stack.is_asked() && stack.begin() == oldest && !stack.holes; };
  Slot* outer = nullptr;
  Slot* frame = enter_frame(worker, spec.body, outer);
  do {
    set_bounds<Number>(spec, part);
    spec.body(spec.data);
  } while (frame && is_bare(stack, frame, stack.top() == frame) && still_full() &&
           parts.next(part));
  if (frame)
    leave_frame(worker, frame, outer);
}

/// The same, and notes what they took.
template <class Number>
[[gnu::noinline]] void run_parts_measured(Worker& worker, const TaskloopSpec& spec, Part& part,
                                          Parts& parts) {
  uint64_t before = parts.so_far() - 1;
  int64_t begin = sys::ticks();
  run_parts<Number>(worker, spec, part, parts);
  auto count = static_cast<int64_t>(parts.so_far() - before);
  note_size_at_once(worker, (sys::ticks() - begin) / count);
}

/// Of a loop whose tasks have no place but the stack of ordinary tasks.
template <class Number>
void create_plain_parts(Worker& worker, TaskSpec& task, const TaskloopSpec& spec, Parts& parts) {
  for (Part part; parts.next(part);) {
    set_bounds<Number>(spec, part);
    if (push_task(worker, spec.body, spec.data, spec.size, spec.align))
      continue;
    if (known_full(worker))
      run_parts_measured<Number>(worker, spec, part, parts);
    else
      create_task(worker, task);
  }
}

/// Whether the last increment leaves the range of the loop's type. That is `Number`, int or
/// unsigned; which of them is not known here, so it may say yes for another loop of `Number`.
template <class Number> bool last_increment_overflows(const TaskloopSpec& spec) {
  auto past = static_cast<Number>(spec.past);
  auto end = static_cast<Number>(spec.first + spec.trips * spec.step);
  bool up = std::is_signed_v<Number> ? static_cast<int64_t>(spec.step) > 0 : spec.flags & kTaskUp;
  if (up ? end < past : end > past)
    return true;
  auto leaves = [&](int64_t least, int64_t most) {
    return up ? std::cmp_less_equal(past, most) && std::cmp_greater(end, most)
              : std::cmp_greater_equal(past, least) && std::cmp_less(end, least);
  };
  bool beyond_int = std::cmp_greater(up ? past : static_cast<Number>(spec.first), INT_MAX);
  return leaves(INT_MIN, INT_MAX) || (beyond_int && leaves(0, UINT_MAX));
}

// Aligned, as `run_parts` is: a fifth of an empty task's time depended on where the linker put it.
template <class Number, bool told>
[[gnu::aligned(64)]] void create_parts(Worker& worker, const TaskloopSpec& spec) {
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
  task.codeptr = spec.codeptr;
  // A task whose last increment overflows compares with a bound that has overflown as well, so it
  // would stop after its first iteration: it gets only one.
  uint64_t alone = spec.trips > 1 && last_increment_overflows<Number>(spec);
  uint64_t trips = spec.trips - alone;
  // num_tasks is not exceeded if it can be helped.
  uint64_t number = spec.number;
  if (alone && number > 1 && !(spec.flags & kTaskGrainsize))
    --number;
  TaskloopSplit split = split_taskloop(trips, spec.flags, number, worker.count);
  Parts parts(trips, split);
  bool plain = !spec.copy && task.deferrable && fits_in_slot(spec.size, spec.align) &&
               !(task.flags & kTaskFinal);
  if (!told && plain)
    create_plain_parts<Number>(worker, task, spec, parts);
  for (Part part; parts.next(part);)
    create_part<Number, told>(worker, task, spec, part);
  if (alone)
    create_part<Number, told>(worker, task, spec, {trips, spec.trips});
  if (told && worker.track)
    trace::taskloop_chunk(*worker.track, 0, 0);
}

template <class Number, bool told>
[[gnu::always_inline]] inline void run_taskloop(Worker& worker, const TaskloopSpec& spec,
                                                uintptr_t* reductions) {
  bool grouped = !(spec.flags & kTaskNogroup);
  if (told)
    trace::taskloop_begins(*worker.track, spec.trips, spec.codeptr, grouped);
  if (grouped)
    open_group(worker);
  if (reductions)
    register_group_reductions(worker, reductions);
  create_parts<Number, told>(worker, spec);
  if (grouped)
    taskgroup_end(worker, spec.codeptr);
  if (told && worker.track)
    trace::taskloop_ends(*worker.track, spec.trips, spec.codeptr);
}

template <class Number>
[[gnu::noinline]] void taskloop_traced(Worker& worker, const TaskloopSpec& spec,
                                       uintptr_t* reductions) {
  run_taskloop<Number, true>(worker, spec, reductions);
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
  if (spec.trips == 0 || worker.task_team->cancelled.load(std::memory_order_relaxed)) {
    // Tells the program that there is nothing to combine.
    if (reduces)
      reductions[2] = 0;
    return;
  }
  if (worker.track) [[unlikely]]
    return taskloop_traced<Number>(worker, spec, reductions);
  run_taskloop<Number, false>(worker, spec, reductions);
}

template void taskloop<long>(Worker&, const TaskloopSpec&);
template void taskloop<unsigned long long>(Worker&, const TaskloopSpec&);

} // namespace xomp
