// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The slow path of task creation: everything but "the target is full, run it now".
#include "task/create.h"

#include <algorithm>
#include <cstring>

#include "task/depend.h"
#include "task/environment.h"
#include "task/event.h"
#include "task/family.h"
#include "task/group.h"
#include "task/run.h"
#include "task/wait.h"
#include "task/wake.h"
#include "trace/events.h"

namespace xomp {
namespace {

bool may_defer(const Worker& worker, const TaskSpec& spec) {
  return spec.deferrable && !(worker.env->flags & kEnvFinal);
}

/// Waiting tasks that a creator may leave behind before it waits itself (bounded memory).
uint32_t waiting_limit(const Worker& worker) {
  return 1024 + 2 * settings.queue_size * static_cast<uint32_t>(worker.count);
}

trace::Code code_of(const TaskSpec& spec) { return reinterpret_cast<trace::Code>(spec.body); }

/// As the log has it. What the program says, whether or not the policy has anything to do for it.
uint8_t domain_of_data(int said) {
  return said < 0 ? trace::kNoDomain : static_cast<uint8_t>(said);
}

[[gnu::always_inline]] inline uint8_t trace_flags(const Worker& worker, const TaskSpec& spec) {
  unsigned flags = 0;
  if (!may_defer(worker, spec)) [[unlikely]]
    flags = trace::kTaskUndeferred | (worker.env->flags & kEnvFinal ? trace::kTaskIsFinal : 0);
  if (!(spec.flags & (kTaskUntied | kTaskDepend | kTaskDetach))) [[likely]]
    return static_cast<uint8_t>(flags);
  if (spec.flags & kTaskUntied)
    flags |= trace::kTaskIsUntied;
  if (spec.flags & kTaskDepend)
    flags |= trace::kTaskHasDependences;
  if (spec.flags & kTaskDetach)
    flags |= trace::kTaskIsDetachable;
  return static_cast<uint8_t>(flags);
}

int tool_flags(uint8_t traced, unsigned flags) {
  unsigned told = ompt_task_explicit;
  if (traced & trace::kTaskUndeferred)
    told |= ompt_task_undeferred;
  if (flags & kTaskUntied)
    told |= ompt_task_untied;
  if (flags & kTaskFinal || traced & trace::kTaskIsFinal)
    told |= ompt_task_final;
  if (flags & kTaskMergeable)
    told |= ompt_task_mergeable;
  return static_cast<int>(told);
}

/// What a tool is told of a creation. `memory`: of the arguments.
void tell_tool(trace::Track& track, trace::TaskTrace& task, const TaskSpec& spec, void* memory) {
  // Device constructs do not say where they stand.
  uintptr_t frame = spec.stack ? spec.stack : sys::stack_pointer();
  trace::tool_task_created(track, task.tool, tool_flags(task.flags, spec.flags),
                           spec.flags & kTaskDepend,
                           {spec.place, reinterpret_cast<const void*>(frame)});
  task.tool.memory = memory;
  task.tool.bytes = spec.size;
}

void* aligned(void* memory, std::size_t align) {
  auto address = reinterpret_cast<uintptr_t>(memory);
  return reinterpret_cast<void*>((address + align - 1) & ~(align - 1));
}

[[gnu::always_inline]] inline void run_told(Worker& worker, trace::Track& track,
                                            trace::TaskTrace& task, void (*body)(void*),
                                            void* data) {
  ++worker.above;
  if (trace::listening(trace::kTool)) [[unlikely]]
    make_waits_told(worker);
  trace::task_begins(track, task);
  body(data);
  trace::Ending how;
  if (trace::listening(trace::kTool)) [[unlikely]]
    how.cancelled = cancelled(worker, *worker.env);
  trace::task_ends(track, task, how);
  if (--worker.above < 0) [[unlikely]]
    end_immediate(worker);
}

/// The copy of the argument block lives on this stack.
[[gnu::noinline]] void run_copied_told(Worker& worker, trace::Track& track, trace::TaskTrace& task,
                                       const TaskSpec& spec) {
  void* block = aligned(__builtin_alloca(spec.size + spec.align), spec.align);
  spec.copy(block, spec.data);
  task.tool.memory = block;
  run_told(worker, track, task, spec.body, block);
}

/// As `run_silently`, for listeners.
[[gnu::always_inline]] inline void run_and_tell(Worker& worker, trace::Track& track,
                                                const TaskSpec& spec, int domain) {
  trace::TaskTrace task;
  auto flags = static_cast<uint8_t>(trace_flags(worker, spec) | trace::kTaskAtOnce);
  trace::task_created(track, task, code_of(spec), flags, track.domain, domain_of_data(domain));
  if (trace::listening(trace::kTool))
    tell_tool(track, task, spec, spec.data);
  if (spec.flags & kTaskDepend) [[unlikely]]
    tell_dependences(track, task, DependList(spec.depend));
  if (spec.copy) [[unlikely]]
    return run_copied_told(worker, track, task, spec);
  run_told(worker, track, task, spec.body, spec.data);
}

void run_silently(Worker& worker, const TaskSpec& spec) {
  if (!spec.copy)
    return run_at_once(worker, spec.body, spec.data);
  run_copied_at_once(worker, spec.body, spec.data, spec.copy, spec.size, spec.align);
}

[[gnu::noinline]] void run_and_report(Worker& worker, const TaskSpec& spec, int domain) {
  worker.counters.created++;
  worker.counters.immediate++;
  if (worker.track)
    run_and_tell(worker, *worker.track, spec, domain);
  else
    run_silently(worker, spec);
}

/// `domain`: where its creator says that it belongs.
void run_body(Worker& worker, const TaskSpec& spec, int domain) {
  if (worker.creates_slowly) [[unlikely]]
    return run_and_report(worker, spec, domain);
  run_silently(worker, spec);
}

/// With what it inherits being its own.
[[gnu::noinline]] void run_in_own_env(Worker& worker, const TaskSpec& spec, int domain) {
  Env own;
  Env* outer = worker.env;
  inherit_env(own, *outer);
  if (spec.flags & kTaskFinal)
    own.flags |= kEnvFinal;
  worker.env = &own;
  run_body(worker, spec, domain);
  worker.env = outer;
  release_env(own);
}

[[gnu::always_inline]] inline void run_now(Worker& worker, const TaskSpec& spec) {
  int domain = worker.env->child_domain;
  if (!(spec.flags & kTaskFinal) && domain < 0) [[likely]]
    return run_body(worker, spec, domain);
  run_in_own_env(worker, spec, domain);
}

/// The creation of a task that is not run at once, for listeners.
[[gnu::noinline]] void tell_created(Worker& worker, DeferredTask& task, const TaskSpec& spec) {
  trace::Track& track = *worker.track;
  trace::TaskTrace& trace = trace_of(task);
  trace.created = sys::ticks();
  trace.place = trace::address(spec.place);
  uint8_t flags = trace_flags(worker, spec);
  if (spec.flags & kTaskFinal)
    flags |= trace::kTaskIsFinal;
  trace::task_created(track, trace, code_of(spec), flags, track.domain,
                      domain_of_data(worker.env->child_domain));
  if (trace::listening(trace::kTool))
    tell_tool(track, trace, spec, task.payload);
  if (spec.flags & kTaskDepend)
    tell_dependences(track, trace, DependList(spec.depend));
}

/// It is where others find it.
void tell_deferred(Worker& worker, DeferredTask& task) {
  if (task.traced && worker.track) [[unlikely]]
    trace::task_deferred(*worker.track, trace_of(task));
}

void fill(Worker& worker, DeferredTask& task, const TaskSpec& spec) {
  worker.counters.created++;
  if (task.traced) [[unlikely]]
    tell_created(worker, task, spec);
  task.body = spec.body;
  task.placement = static_cast<int16_t>(worker.placement);
  task.elsewhere = task.placement >= 0 && settings.locality == LocalityMode::kStrict;
  inherit_env(task.own_env, *worker.env);
  if (spec.flags & kTaskFinal)
    task.own_env.flags |= kEnvFinal;
  if ((spec.flags & kTaskPriority) && spec.priority > 0 && settings.max_task_priority > 0) {
    task.priority = std::min(spec.priority, settings.max_task_priority);
    task.home->has_priorities = true;
  }
  if (spec.flags & kTaskDetach) {
    task.detachable = true;
    // Relaxed: whoever relies on the event being open was told of it by the program.
    worker.tasks->open_events.fetch_add(1, std::memory_order_relaxed);
    task.unfinished.store(2, std::memory_order_relaxed);
    // Before the argument block is copied: the handle is one of the variables in it, and the
    // compiler may have read it already. In the block it comes first (GNU ABI).
    EventHandle handle = create_event(task);
    *static_cast<EventHandle*>(spec.detach) = handle;
    if (spec.size)
      *static_cast<EventHandle*>(spec.data) = handle;
  }
  task.copied = spec.copy != nullptr;
  if (spec.copy)
    spec.copy(task.payload, spec.data);
  else if (spec.size)
    std::memcpy(task.payload, spec.data, spec.size);
  worker.dirty = true;
  if (task.own_env.group)
    enter_group(worker, *task.own_env.group);
  // Relaxed: the creator is counted itself, so the count cannot reach 0 before.
  if (worker.tasks->counts_outstanding)
    worker.tasks->outstanding.fetch_add(1, std::memory_order_relaxed);
}

/// A task that exists only because it is detachable: it is run at once all the same.
void run_claimed(Worker& worker, DeferredTask& task) {
  task.state.store(kRunning, std::memory_order_relaxed);
  launch(worker, task);
}

/// Relaxed: `follow` has a fence, and who is hungry stays so until somebody sees it.
uint32_t famine(const Worker& worker) {
  return worker.tasks->famines.load(std::memory_order_relaxed);
}

/// The rations have run out, or were cut short: whether a small task is offered all the same,
/// because such tasks may have become larger, or some worker is so hungry that it gets whatever
/// comes next.
[[gnu::noinline]] bool look_up(Worker& worker, Rations& rations) {
  int64_t now = sys::ticks();
  rations.famine = famine(worker);
  bool hungry = worker.tasks->hungry.load(std::memory_order_relaxed) > 0;
  if (rations.renew(now, hungry)) {
    worker.sizes.forget();
    lower_window(worker, UINTPTR_MAX);
    return true;
  }
  if (!settings.hunger || !hungry ||
      !rations.feeds(now, settings.hunger * sys::kTicksOfMicrosecond))
    return false;
  worker.counters.fed++;
  return true;
}

/// Whether a task is worth offering to other workers.
bool worth_offering(Worker& worker, const TaskSpec& spec) {
  // Whoever creates slowly has no copy of the window that others could take away.
  bool slowly = worker.creates_slowly || worker.places_tasks;
  Rations& rations = slowly ? worker.slow_rations : worker.rations;
  bool cut = (slowly || follow(worker)) && rations.famine != famine(worker);
  return !beneath_window(worker, spec.stack, reinterpret_cast<uintptr_t>(spec.body)) ||
         ((--rations.left < 0 || cut) && look_up(worker, rations));
}

[[gnu::always_inline]] inline bool has_room(Worker& worker) {
  bool room = worker.policy->has_room(worker);
  worker.counters.throttled += !room;
  return room;
}

/// Whether a task is run at once because nobody else can have it, or should. Asked once for each.
[[gnu::always_inline]] inline bool nobody_else(Worker& worker, const TaskSpec& spec) {
  return worker.count == 1 || !worth_offering(worker, spec) || !has_room(worker);
}

/// Notes for which domain the task to be created is meant.
[[gnu::always_inline]] inline void choose_domain(Worker& worker, bool deferrable) {
  int domain = deferrable ? worker.env->child_domain : -1;
  bool other = domain >= 0 && worker.policy->place && worker.count > 1;
  worker.placement = other ? worker.policy->place(worker, domain) : -1;
}

/// Whether a task that nobody else can have now is left to the end of its parent, to be run on less
/// stack.
bool leave_for_later(const Worker& worker) {
  // The end of an initial team's implicit task may never come.
  return deep(worker) && (worker.root || !at_root(worker));
}

/// A ready child that only its parent's worker knows of.
void leave(Worker& worker, DeferredTask& task) {
  constexpr uint32_t kMostLeft = 32; // bounded memory: then they are run here, one level deeper
  Family& family = *task.home;
  task.state.store(kReady, std::memory_order_relaxed);
  if (family.live < kMostLeft)
    return;
  while (DeferredTask* child = claim_child(worker, family, true))
    launch(worker, *child);
}

/// Offers a child that is ready to the other workers, or runs it when it is `alone`: nobody can
/// have it.
void offer(Worker& worker, DeferredTask& task, uintptr_t stack, bool alone) {
  Family& family = *task.home;
  if (alone) {
    task.elsewhere = false;
    add_ready(family, task);
    tell_deferred(worker, task);
    if (leave_for_later(worker))
      return leave(worker, task);
    return run_claimed(worker, task);
  }
  task.height = height(worker, stack);
  // Release publishes the task to whoever claims it.
  task.state.store(kReady | kAdvert, std::memory_order_release);
  int target = put(worker, task, false);
  task.elsewhere = task.elsewhere && target != kNoRoom;
  if (target == kNoRoom || target == worker.id)
    add_ready(family, task);
  else
    add_away(family, task);
  tell_deferred(worker, task);
  if (target != kNoRoom) {
    worker.counters.deferred++;
    if (worker.policy->shared)
      wake_for(*worker.workers[target], family);
    return;
  }
  task.state.fetch_and(~uint32_t{kAdvert}, std::memory_order_relaxed);
  if (try_claim(task, 0))
    launch(worker, task);
}

/// Whether no sibling is unfinished that a task with these accesses comes after, or excludes.
bool nothing_in_its_way(Family& family, void** depend) {
  bool nothing = true;
  for_each_predecessor(family, DependList(depend, true), [&](DeferredTask&) { nothing = false; });
  return nothing;
}

/// An undeferred task waits for its predecessors. So does one that would be one too many with
/// unfinished predecessors, but only as long as that gets anywhere: what is waited for may itself
/// wait for what the creator does next. True: an undeferred task may run.
bool make_way(Worker& worker, const TaskSpec& spec, bool deferrable) {
  Family* family = family_of_current(worker);
  if (!family || !family->depends)
    return true;
  if (!deferrable) {
    if (nothing_in_its_way(*family, spec.depend))
      return true;
    wait_for_predecessors(worker, *family, DependList(spec.depend));
    return nothing_in_its_way(*family, spec.depend);
  }
  uint32_t limit = std::max(family->most_waiting, waiting_limit(worker));
  if (!too_many_wait(worker, *family, limit)) {
    if (family->waiting_count < limit / 4)
      family->most_waiting = limit / 2;
    return true;
  }
  if (!wait_for_fewer(worker, *family, limit / 2))
    family->most_waiting = limit * 2;
  return true;
}

void create_with_dependences(Worker& worker, const TaskSpec& spec, bool deferrable) {
  bool detach = spec.flags & kTaskDetach;
  bool may_run = make_way(worker, spec, deferrable);
  if (!detach && !deferrable && may_run)
    return run_now(worker, spec);
  Family* known = family_of_current(worker);
  choose_domain(worker, deferrable);
  bool alone = deferrable && nobody_else(worker, spec);
  // Run it now if nothing has to be waited for: it will be over before the next sibling is created.
  if (!detach && alone && !leave_for_later(worker) &&
      (!known || nothing_in_its_way(*known, spec.depend)))
    return run_now(worker, spec);
  Family& family = own_family(worker);
  DeferredTask& task = new_child(worker, family, spec.size, spec.align);
  fill(worker, task, spec);
  // Measured when it runs, as those are that are offered at once. Before anybody else may have it.
  if (worker.count > 1)
    task.height = height(worker, spec.stack);
  bool ready = enter_dependences(family, task, DependList(spec.depend), !deferrable);
  if (deferrable && ready)
    return offer(worker, task, spec.stack, alone);
  if (deferrable) {
    add_waiting(family, task);
    return tell_deferred(worker, task);
  }
  if (ready) {
    add_ready(family, task);
  } else {
    add_waiting(family, task);
    wait_for_admission(worker, task);
  }
  run_claimed(worker, task);
}

/// Whether so many bytes of large argument blocks wait already that one more is not made: a queue
/// bounds the number of tasks, which says little when each carries a megabyte. Those of running
/// tasks count too, of which every worker may have one.
bool too_much_waits(Worker& worker, const TaskSpec& spec) {
  constexpr std::size_t kMostBytes = std::size_t{8} << 20;
  std::size_t running = spec.size * static_cast<std::size_t>(worker.count);
  auto full = [&] { return worker.heap.large() + spec.size > kMostBytes + running; };
  if (spec.size <= Heap::kLargest || !full())
    return false;
  if (Family* family = family_of_current(worker))
    sweep(worker, *family);
  sweep_orphans(worker);
  return full();
}

/// A task that is not simply run at once.
[[gnu::noinline]] void create_child(Worker& worker, const TaskSpec& spec, bool deferrable,
                                    bool alone) {
  Family& family = own_family(worker);
  DeferredTask& task = new_child(worker, family, spec.size, spec.align);
  fill(worker, task, spec);
  if (deferrable)
    return offer(worker, task, spec.stack, alone);
  add_ready(family, task);
  run_claimed(worker, task);
}

} // namespace

void end_immediate(Worker& worker) {
  Family& family = pop_family(worker);
  while (DeferredTask* child = claim_child(worker, family, true))
    launch(worker, *child);
  if (part(worker, family))
    settle(worker, family);
}

void run_copied_at_once(Worker& worker, void (*body)(void*), void* data, void (*copy)(void*, void*),
                        std::size_t size, std::size_t align) {
  void* block = aligned(__builtin_alloca(size + align), align);
  copy(block, data);
  run_at_once(worker, body, block);
}

void create_task(Worker& worker, const TaskSpec& spec) {
  if (settings.cancellation && cancelled(worker, *worker.env)) [[unlikely]] {
    if (spec.flags & kTaskDetach)
      *static_cast<EventHandle*>(spec.detach) = kNoEvent;
    return;
  }
  bool deferrable = may_defer(worker, spec);
  if (spec.flags & kTaskDepend)
    return create_with_dependences(worker, spec, deferrable);
  choose_domain(worker, deferrable);
  bool alone = deferrable && nobody_else(worker, spec);
  if (!(spec.flags & kTaskDetach)) {
    if (!deferrable || (alone && !leave_for_later(worker)) || too_much_waits(worker, spec))
      return run_now(worker, spec);
  }
  create_child(worker, spec, deferrable, alone);
}

} // namespace xomp
