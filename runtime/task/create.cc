// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which of the ways a task goes that is not simply written to the stack.
#include "task/create.h"

#include "sys/assert.h"
#include "task/create_deferred.h"
#include "task/create_dependent.h"
#include "task/create_on_stack.h"
#include "task/event.h"
#include "task/run.h"

namespace xomp {
<<<<<<< HEAD
=======
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
  in_frame(worker, body, [&] {
    if (trace::listening(trace::kTool)) [[unlikely]]
      make_waits_told(worker);
    trace::task_begins(track, task);
    body(data);
    trace::Ending how;
    if (trace::listening(trace::kTool)) [[unlikely]]
      how.cancelled = cancelled(worker, *worker.env);
    trace::task_ends(track, task, how);
  });
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
  inherit_env(own, *worker.env);
  if (spec.flags & kTaskFinal)
    own.flags |= kEnvFinal;
  Env* outer = change_env(worker, &own);
  run_body(worker, spec, domain);
  change_env(worker, outer);
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

/// What it inherits, and where it is counted.
void count_in(Worker& worker, DeferredTask& task, const Env& env) {
  inherit_env(task.own_env, env);
  worker.dirty = true;
  if (task.own_env.group)
    enter_group(worker, *task.own_env.group);
  // Relaxed: the creator is counted itself, so the count cannot reach 0 before.
  if (worker.tasks->counts_outstanding)
    worker.tasks->outstanding.fetch_add(1, std::memory_order_relaxed);
}

void fill(Worker& worker, DeferredTask& task, const TaskSpec& spec) {
  worker.counters.created++;
  note_creation(worker);
  if (task.traced) [[unlikely]]
    tell_created(worker, task, spec);
  task.body = spec.body;
  task.placement = static_cast<int16_t>(worker.placement);
  task.elsewhere = task.placement >= 0 && settings.locality == LocalityMode::kStrict;
  count_in(worker, task, *worker.env);
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
}

/// A task that exists only because it is detachable: it is run at once all the same.
void run_claimed(Worker& worker, DeferredTask& task) {
  XOMP_ASSERT(task.may_be(kRunning));
  task.state.store(kRunning, std::memory_order_relaxed);
  launch_at_once(worker, task);
}

/// Room for one more in a team of one, which has no queues: those that wait are counted.
bool may_have_more(Worker& worker) {
  Family* family = family_of_current(worker);
  auto ready = [&] { return int64_t{family->live} - family->waiting_count; };
  if (!family || ready() < most_waiting(worker))
    return true;
  // A sweep costs as much as there are: not again before one was run.
  if (worker.counters.self == worker.ran_at_sweep)
    return false;
  worker.ran_at_sweep = worker.counters.self;
  sweep(worker, *family);
  return ready() < most_waiting(worker);
}

bool has_room(Worker& worker) {
  bool room = worker.count == 1 ? may_have_more(worker) : worker.policy->has_room(worker);
  worker.counters.throttled += !room;
  return room;
}

/// Whether a task is run at once because no queue takes it, or because it is created outside of all
/// regions, where both peers run it at once. Asked once for each.
[[gnu::always_inline]] inline bool no_queue_takes(Worker& worker) {
  return worker.tasks->initial || !has_room(worker);
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
  return deep(worker) && in_explicit_task(worker);
}

/// A ready child that only its parent's worker knows of.
void leave(Worker& worker, DeferredTask& task) {
  constexpr uint32_t kMostLeft = 32; // bounded memory: then they are run here, one level deeper
  Family& family = *task.home;
  XOMP_ASSERT(task.may_be(kReady));
  task.state.store(kReady, std::memory_order_relaxed);
  if (family.live < kMostLeft)
    return;
  while (DeferredTask* child = claim_child(worker, family, true))
    launch(worker, *child);
}

/// Offers a child that is ready to the other workers, or runs it when it is `alone`: nobody can
/// have it.
void offer(Worker& worker, DeferredTask& task, bool alone) {
  XOMP_ASSERT(task.may_be(kReady | kAdvert) && task.home->owner == &worker);
  Family& family = *task.home;
  if (alone) {
    task.elsewhere = false;
    add_ready(family, task);
    tell_deferred(worker, task);
    if (leave_for_later(worker))
      return leave(worker, task);
    return run_claimed(worker, task);
  }
  if (worker.count == 1) {
    // Relaxed: nobody else looks at it.
    task.state.store(kReady, std::memory_order_relaxed);
    add_ready(family, task);
    worker.counters.deferred++;
    return tell_deferred(worker, task);
  }
  task.measured = true;
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
  XOMP_ASSERT(task.names(kAdvert));
  task.state.fetch_and(~uint32_t{kAdvert}, std::memory_order_relaxed);
  if (try_claim(task, 0))
    launch_at_once(worker, task);
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

void create_with_dependences(Worker& worker, const TaskSpec& spec, bool deferrable) {
  bool detach = spec.flags & kTaskDetach;
  bool may_run = make_way(worker, spec, deferrable);
  if (!detach && !deferrable && may_run)
    return run_now(worker, spec);
  Family* known = family_of_current(worker);
  choose_domain(worker, deferrable);
  bool alone = deferrable && (no_queue_takes(worker) || too_much_waits(worker, spec));
  // Run it now if nothing has to be waited for: it will be over before the next sibling is created.
  if (!detach && alone && !leave_for_later(worker) &&
      (!known || nothing_in_its_way(*known, spec.depend)))
    return run_now(worker, spec);
  Family& family = own_family(worker);
  DependList list(spec.depend);
  // The program's copy function may create siblings.
  std::size_t room = spec.copy ? kNotCounted : count_predecessors(family, list);
  DeferredTask& task =
      new_child(worker, family, spec.size, spec.align, room == kNotCounted ? 0 : room);
  fill(worker, task, spec);
  // When it runs, as those are that are offered at once. Before anybody else may have it.
  task.measured = worker.count > 1;
  bool ready = enter_dependences(family, task, list, !deferrable, room);
  if (deferrable && ready)
    return offer(worker, task, alone);
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

/// A final task on the stack: its body and arguments behind what makes it final.
struct alignas(Slot::kAlign) Final {
  void (*body)(void*);

  static void run(void* memory) {
    auto& task = *static_cast<Final*>(memory);
    Worker& worker = *self;
    Env own;
    inherit_env(own, *worker.env);
    own.flags |= kEnvFinal;
    Env* outer = change_env(worker, &own);
    task.body(&task + 1);
    change_env(worker, outer);
    release_env(own);
  }
};

/// Bytes that a task takes on the stack.
std::size_t room_for(const TaskSpec& spec) {
  return spec.size + (spec.flags & kTaskFinal ? sizeof(Final) : 0);
}

/// Whether it is an ordinary task. Where tasks are large, those of one worker go to a queue that
/// keeps their order beside that of others' tasks.
bool fits_on_stack(const Worker& worker, const TaskSpec& spec) {
  return worker.defers_in_place && !spec.copy && room_for(spec) <= Slot::kRoom &&
         spec.align <= Slot::kAlign && !(spec.flags & kTaskDetach) &&
         worker.env->child_domain < 0 && !(worker.count > 1 && offers_large(worker));
}

/// Whether as many tasks wait as may, and one more is run at once; makes room if not.
bool stack_is_full(Worker& worker) {
  SplitStack& stack = worker.stack;
  if (!stack.first && !make_room(worker))
    return true;
  int64_t most = most_waiting(worker);
  // On a stack that is nearly used up one more waits rather than run on top.
  if (stack.waiting(stack.current->depth) >= (deep(worker) ? 2 * most : most))
    return !stack.holes || stack.count_pending() >= most;
  // Most of it is holes.
  if (stack.top() - stack.current >= kRoomToMove * most ||
      (stack.last - stack.top() <= 2 && stack.current < stack.top()))
    stack.compact(stack.current);
  return stack.last - stack.top() <= 2;
}

/// After a push: how many more may be made without coming here.
void set_limit(Worker& worker) {
  SplitStack& stack = worker.stack;
  Slot* top = stack.top() + 1;
  int64_t more = most_waiting(worker) - stack.waiting(stack.current->depth);
  XOMP_ASSERT(top <= stack.last);
  more = std::min<int64_t>(
      {more, stack.last - top - 2, stack.current + kRoomToMove * most_waiting(worker) - top});
  stack.limit.store(top + std::max<int64_t>(more, 0), std::memory_order_relaxed);
}

void create_on_stack(Worker& worker, const TaskSpec& spec) {
  if (stack_is_full(worker)) {
    worker.counters.throttled++;
    if (worker.count > 1 && worker.stack.first)
      answer(worker);
    return run_now(worker, spec);
  }
  worker.counters.created++;
  worker.counters.deferred++;
  SplitStack& stack = worker.stack;
  Slot* slot = stack.top() + 1;
  void* arguments = slot->arguments;
  slot->body = spec.body;
  if (spec.flags & kTaskFinal) {
    slot->body = Final::run;
    arguments = ::new (arguments) Final{spec.body} + 1;
  }
  copy_arguments(arguments, spec.data, spec.size);
  stack.push(slot);
  if (worker.count > 1)
    answer(worker);
  else if (worker.creates_slowly)
    stack.expose();
  else
    set_limit(worker);
}

/// A task that is not simply run at once.
[[gnu::noinline]] void create_child(Worker& worker, const TaskSpec& spec, bool deferrable,
                                    bool alone) {
  Family& family = own_family(worker);
  DeferredTask& task = new_child(worker, family, spec.size, spec.align);
  fill(worker, task, spec);
  if (deferrable)
    return offer(worker, task, alone);
  add_ready(family, task);
  run_claimed(worker, task);
}

} // namespace

void answer(Worker& worker) {
  XOMP_ASSERT(self == &worker);
  SplitStack& stack = worker.stack;
  bool wanted =
      !stack.limit.load(std::memory_order_relaxed) && stack.looks_private() && stack.expose();
  wake_for_own(worker);
  if (worker.creates_slowly || !sys::has_asymmetric_fence())
    return;
  set_limit(worker);
  // Either this worker sees who sleeps, or who is about to sleep sees the limit (task/steal.h).
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (wanted || worker.tasks->asleep.load(std::memory_order_relaxed) > 0)
    stack.limit.store(nullptr, std::memory_order_relaxed);
}

void offer_moved(Worker& worker, DeferredTask& task) {
  Family& family = *task.home;
  XOMP_ASSERT(task.may_be(kReady | kAdvert) && family.owner == &worker);
  worker.placement = -1;
  count_in(worker, task, *worker.env);
  if (worker.count == 1) {
    task.state.store(kReady, std::memory_order_relaxed);
    return add_ready(family, task);
  }
  task.measured = true;
  // Release publishes the task to whoever claims it.
  task.state.store(kReady | kAdvert, std::memory_order_release);
  add_ready(family, task);
  // It was deferred before, so it must not be run here: what no queue takes goes to the board.
  if (put(worker, task, false) == kNoRoom)
    post(*worker.tasks, task);
  wake_for(worker, family);
}

void run_copied_at_once(Worker& worker, void (*body)(void*), void* data, void (*copy)(void*, void*),
                        std::size_t size, std::size_t align) {
  void* block = aligned(__builtin_alloca(size + align), align);
  copy(block, data);
  run_at_once(worker, body, block);
}
>>>>>>> papers

void create_task(Worker& worker, const TaskSpec& spec) {
  XOMP_ASSERT(self == &worker && worker.env && begun(worker));
  if (settings.cancellation && cancelled(worker, *worker.env)) [[unlikely]] {
    if (spec.flags & kTaskDetach)
      *static_cast<EventHandle*>(spec.detach) = kNoEvent;
    return;
  }
  bool deferrable = may_defer(worker, spec);
  if (spec.flags & kTaskDepend)
    return create_with_dependences(worker, spec, deferrable);
  if (deferrable && fits_on_stack(worker, spec))
    return create_on_stack(worker, spec);
  create_deferred(worker, spec, deferrable);
}

} // namespace xomp
