// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "task/taskloop.h"

#include <algorithm>
#include <climits>
#include <cstddef>
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

/// A taskloop's parts, one after the other, by their bounds in the loop's type. The last one as
/// well lies on the grid of steps: a loop that leaves its type's range with the last increment
/// stops at the value that this bound has become in that type, and nowhere else.
class Parts {
public:
  Parts(const TaskloopSpec& spec, uint64_t trips, const TaskloopSplit& split)
      : next_first(spec.first), step(spec.step), split(split), left(trips) {
    begin_run();
  }
  bool any() const { return same > 0; }
  uint64_t first() const { return next_first; }
  uint64_t past() const { return next_first + advance; }
  uint64_t iterations() const { return each; }
  /// To the next one.
  [[gnu::always_inline]] void pass() {
    next_first += advance;
    if (--same == 0) [[unlikely]]
      begin_run();
  }
  uint64_t count() const { return same + split.tasks; }

private:
  /// The next ones that have as many iterations as each other.
  void begin_run() {
    if (split.tasks == 0)
      return;
    bool larger = split.larger > 0;
    each = std::min(split.size + larger, left);
    same = larger ? std::exchange(split.larger, 0) : std::min(split.tasks, left / each);
    advance = each * step;
    split.tasks -= same;
    left -= same * each;
  }

  uint64_t next_first, step;
  uint64_t same = 0, advance = 0, each = 0; ///< parts, and what each has
  TaskloopSplit split;                      ///< of those behind them, which have `left` iterations
  uint64_t left;
};

template <class Number> void write_bounds(void* block, uint64_t first, uint64_t past) {
  auto& bounds = *static_cast<Block<Number>*>(block);
  bounds.first = static_cast<Number>(first);
  bounds.past = static_cast<Number>(past);
}

template <class Number>
void create_part(Worker& worker, TaskSpec& task, const TaskloopSpec& spec, uint64_t first,
                 uint64_t past) {
  if (!spec.copy) {
    write_bounds<Number>(spec.data, first, past);
    return create_task(worker, task);
  }
  CopySource<Number> source{spec.copy, static_cast<Block<Number>*>(spec.data),
                            static_cast<Number>(first), static_cast<Number>(past)};
  task.data = &source;
  create_task(worker, task);
}

/// As many tasks wait as may (`known_full`): runs parts where they are created, one after the other
/// on one frame as long as that is so. Returns those that are left.
template <class Number>
[[gnu::noinline, gnu::aligned(64)]] Parts run_parts(Worker& worker, const TaskloopSpec& spec,
                                                    Parts parts) {
  SplitStack& stack = worker.stack;
  const Slot* oldest = stack.begin();
  // Relaxed: hints, as in `known_full`. Thieves take the oldest, or leave holes.
  auto still_full = [&] { return !stack.is_asked() && stack.begin() == oldest && !stack.holes; };
  Slot* outer = nullptr;
  Slot* frame = enter_frame(worker, spec.body, outer);
  do {
    write_bounds<Number>(spec.data, parts.first(), parts.past());
    parts.pass();
    spec.body(spec.data);
  } while (frame && is_bare(stack, frame, stack.top() == frame) && still_full() && parts.any());
  if (frame)
    leave_frame(worker, frame, outer);
  return parts;
}

/// The same, and notes what they took.
template <class Number>
[[gnu::noinline]] void run_parts_measured(Worker& worker, const TaskloopSpec& spec, Parts& parts) {
  uint64_t before = parts.count();
  int64_t begin = sys::ticks();
  parts = run_parts<Number>(worker, spec, parts);
  auto count = static_cast<int64_t>(before - parts.count());
  note_size_at_once(worker, (sys::ticks() - begin) / count);
}

/// Of a loop whose tasks have no place but the stack of ordinary tasks. Only the bounds differ: the
/// rest is as in the program's block.
template <class Number>
void create_plain_parts(Worker& worker, TaskSpec& task, const TaskloopSpec& spec, Parts& parts) {
  constexpr std::size_t kBounds = offsetof(Block<Number>, reductions);
  auto* rest = static_cast<char*>(spec.data) + kBounds;
  while (parts.any()) {
    Pushed pushed = push_written(worker, spec.body, spec.size, spec.align, [&](char* to) {
      if (spec.size > kBounds)
        copy_arguments(to + kBounds, rest, spec.size - kBounds);
      write_bounds<Number>(to, parts.first(), parts.past());
    });
    if (pushed == Pushed::kAsked) [[unlikely]]
      answer(worker);
    if (pushed != Pushed::kNo) [[likely]] {
      parts.pass();
    } else if (known_full(worker)) {
      run_parts_measured<Number>(worker, spec, parts);
    } else {
      create_part<Number>(worker, task, spec, parts.first(), parts.past());
      parts.pass();
    }
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
  Parts parts(spec, trips, split);
  bool plain = !spec.copy && task.deferrable && fits_in_slot(spec.size, spec.align) &&
               !(task.flags & kTaskFinal);
  if (!told && plain)
    create_plain_parts<Number>(worker, task, spec, parts);
  uint64_t begin = 0;
  auto create = [&](uint64_t past, uint64_t iterations) {
    if (told && worker.track)
      trace::taskloop_chunk(*worker.track, begin, iterations);
    begin += iterations;
    create_part<Number>(worker, task, spec, parts.first(), past);
  };
  for (; parts.any(); parts.pass())
    create(parts.past(), parts.iterations());
  if (alone)
    create(parts.first() + spec.step, 1);
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
