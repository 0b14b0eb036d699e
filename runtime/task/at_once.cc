// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "task/at_once.h"

#include <algorithm>
#include <cstddef>

#include "events/events.h"
#include "sys/memory.h"
#include "task/children.h"
#include "task/environment.h"
#include "task/frame.h"
#include "task/full_frame.h"
#include "task/run.h"
#include "task/trace_creation.h"

namespace xomp {
namespace {

void* aligned(void* memory, std::size_t align) {
  auto address = reinterpret_cast<uintptr_t>(memory);
  return reinterpret_cast<void*>((address + align - 1) & ~(align - 1));
}

trace::Ending how_it_ends(const Worker& worker) {
  return {0, trace::listening(trace::kTool) && cancelled(worker, *worker.env)};
}

[[gnu::always_inline]] inline void run_traced(Worker& worker, trace::Track& track,
                                              trace::TaskTrace& task, void (*body)(void*),
                                              void* data) {
  in_frame(worker, body, [&] {
    make_waits_traced(worker);
    trace::task_begins(track, task);
    body(data);
    trace::task_ends(track, task, how_it_ends(worker));
  });
}

/// The copy of the argument block lives on this stack.
[[gnu::noinline]] void run_copied_traced(Worker& worker, trace::Track& track,
                                         trace::TaskTrace& task, const TaskSpec& spec) {
  void* block = aligned(__builtin_alloca(spec.size + spec.align), spec.align);
  spec.copy(block, spec.data);
  task.tool.memory = block;
  run_traced(worker, track, task, spec.body, block);
}

/// As `run_silently`, for listeners.
[[gnu::always_inline]] inline void run_traced(Worker& worker, trace::Track& track,
                                              const TaskSpec& spec, int domain, AtOnce why) {
  trace::TaskTrace task;
  trace_run_at_once(worker, task, spec, domain, why);
  if (spec.copy) [[unlikely]]
    return run_copied_traced(worker, track, task, spec);
  run_traced(worker, track, task, spec.body, spec.data);
}

/// As the papers' runtime runs a task that finds its queue full: it has a block already, with its
/// arguments in it (XOMP_TASK_MEMORY).
[[gnu::noinline]] void run_from_block(Worker& worker, const TaskSpec& spec) {
  std::size_t align = std::max(spec.align, alignof(std::max_align_t));
  std::size_t bytes = Heap::size_for(sizeof(DeferredTask) + spec.size + align);
  char* block = static_cast<char*>(worker.heap.allocate(bytes));
  void* payload = aligned(block + sizeof(DeferredTask), align);
  make_arguments(payload, spec);
  run_at_once(worker, spec.body, payload);
  worker.heap.free(block, bytes);
}

[[gnu::noinline]] void run_and_report(Worker& worker, const TaskSpec& spec, int domain,
                                      AtOnce why) {
  ++worker.counters.created;
  worker.counters.count_at_once(why);
  if (worker.track)
    run_traced(worker, *worker.track, spec, domain, why);
  else if (why == AtOnce::kFull && settings.mallocs_tasks())
    run_from_block(worker, spec);
  else
    run_silently(worker, spec);
}

/// `domain`: where its creator says that it belongs.
void run_body(Worker& worker, const TaskSpec& spec, int domain, AtOnce why) {
  if (worker.creates_slowly) [[unlikely]]
    return run_and_report(worker, spec, domain, why);
  run_silently(worker, spec);
}

/// Returns the environment around it.
Env* enter_env(Worker& worker, const TaskSpec& spec, Env& own) {
  inherit_env(own, *worker.env);
  if (spec.flags & kTaskFinal)
    own.flags |= kEnvFinal;
  return change_env(worker, &own);
}

void leave_env(Worker& worker, Env& own, Env* outside) {
  change_env(worker, outside);
  release_env(own);
}

[[gnu::noinline]] void run_in_own_env(Worker& worker, const TaskSpec& spec, int domain,
                                      AtOnce why) {
  Env own;
  Env* outside = enter_env(worker, spec, own);
  run_body(worker, spec, domain, why);
  leave_env(worker, own, outside);
}

} // namespace

void run_with_care(Worker& worker, const TaskSpec& spec, AtOnce why) {
  int domain = worker.env->child_domain;
  if (has_own_env(worker, spec)) [[unlikely]]
    return run_in_own_env(worker, spec, domain, why);
  run_body(worker, spec, domain, why);
}

void run_copied_at_once(Worker& worker, void (*body)(void*), void* data, void (*copy)(void*, void*),
                        std::size_t size, std::size_t align) {
  void* block = aligned(__builtin_alloca(size + align), align);
  copy(block, data);
  run_at_once(worker, body, block);
}

void begin_included(Worker& worker, const TaskSpec& spec, Included& task) {
  int domain = worker.env->child_domain;
  if (has_own_env(worker, spec))
    task.outside = enter_env(worker, spec, task.own);
  if (worker.creates_slowly) [[unlikely]] {
    ++worker.counters.created;
    worker.counters.count_at_once(AtOnce::kSaid);
    if (worker.track) {
      task.trace = sys::create<trace::TaskTrace>();
      trace_run_at_once(worker, *task.trace, spec, domain, AtOnce::kSaid);
    }
  }
  task.frame = enter_frame(worker, spec.body, task.outer);
  if (!task.trace) [[likely]]
    return;
  make_waits_traced(worker);
  trace::task_begins(*worker.track, *task.trace);
  // The program calls the body, where the construct is.
  trace::tool_called_from(task.trace->tool, reinterpret_cast<const void*>(spec.stack));
}

void end_included(Worker& worker, Included& task) {
  if (task.trace) [[unlikely]] {
    trace::task_ends(*worker.track, *task.trace, how_it_ends(worker));
    sys::destroy(task.trace);
  }
  if (task.frame)
    leave_frame(worker, task.frame, task.outer);
  if (task.outside)
    leave_env(worker, task.own, task.outside);
}

namespace {

/// Room for one more in a team of one, which has no queues: those that wait are counted.
bool may_have_more(Worker& worker) {
  FullFrame* parent = current_full_frame(worker);
  auto ready = [&] { return int64_t{parent->live} - parent->waiting_count; };
  if (!parent || ready() < most_waiting(worker))
    return true;
  // A sweep costs as much as there are: not again before one was run.
  if (worker.counters.self == worker.ran_at_sweep)
    return false;
  worker.ran_at_sweep = worker.counters.self;
  sweep(worker, *parent);
  return ready() < most_waiting(worker);
}

bool has_room(Worker& worker) {
  return worker.count == 1 ? may_have_more(worker) : worker.policy->has_room(worker);
}

/// Whether so many bytes of large argument blocks wait already that one more is not made: a queue
/// bounds the number of tasks, which says little when each carries a megabyte. Those of running
/// tasks count too, of which every worker may have one.
bool too_much_waits(Worker& worker, const TaskSpec& spec) {
  constexpr std::size_t kMostBytes = std::size_t{8} << 20;
  std::size_t bytes = spec.size + (spec.flags & kTaskOutside ? spec.outside : 0);
  std::size_t running = bytes * static_cast<std::size_t>(worker.count);
  // What lies outside is there already.
  auto full = [&] {
    return worker.heap.large() + worker.blocks.large() + spec.size > kMostBytes + running;
  };
  if (bytes <= Heap::kLargest || !full())
    return false;
  if (FullFrame* parent = current_full_frame(worker))
    sweep(worker, *parent);
  sweep_ended(worker);
  return full();
}

/// Whether as many tasks wait as may, and one more is run at once; makes room if not.
bool stack_is_full(Worker& worker) {
  SplitStack& stack = worker.stack;
  if (!stack.first && !lay_out_stack(worker))
    return true;
  int64_t most = most_waiting(worker);
  // On a stack that is nearly used up one more waits rather than run on top.
  if (stack.waiting(stack.current->depth) >= (deep(worker) ? 2 * most : most) &&
      (!stack.holes || stack.count_pending() >= most))
    return true;
  if (is_mostly_holes(worker))
    stack.compact(stack.current);
  return room_besides_frames(stack) <= 0;
}

} // namespace

AtOnce why_at_once(Worker& worker, const TaskSpec& spec, bool deferrable) {
  if (!deferrable)
    return AtOnce::kSaid;
  if (worker.task_team->initial)
    return AtOnce::kOutside;
  if (!has_room(worker))
    return AtOnce::kFull;
  return too_much_waits(worker, spec) ? AtOnce::kBytes : AtOnce::kNot;
}

AtOnce why_not_on_stack(Worker& worker) {
  return stack_is_full(worker) ? AtOnce::kFull : AtOnce::kNot;
}

} // namespace xomp
