// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Explicit tasks: creation, dependences, scheduling (19.5.2.5 to 19.5.2.10).
#include <cinttypes>

#include "rules.h"

namespace ompt_check {
namespace {

bool over(const Task& task) {
  return task.state.load(std::memory_order_acquire) == TaskState::kOver;
}

std::atomic<int>& open_tasks(const Task& task) { return task.region->open_tasks[task.barrier & 1]; }

void check_flags(int flags) {
  int kinds = flags & 0xff;
  if (kinds == 0 || (kinds & (kinds - 1)) != 0)
    broken(Rule::kArguments, "flags %#x name no kind of task, or several", flags);
  if (flags & (ompt_task_initial | ompt_task_implicit))
    broken(Rule::kArguments, "flags %#x: an implicit task is not created", flags);
}

/// The task scheduling constraint (12.9): of the tied tasks that the thread has left outside a
/// barrier, the last one must be an ancestor; it descends from the others.
void check_constraint(const Task& next, const Task* left) {
  if (next.is(static_cast<int>(ompt_task_untied)))
    return;
  while (left && (left->is(static_cast<int>(ompt_task_untied)) || over(*left)))
    left = left->under;
  if (!left || left->in_barrier())
    return;
  for (const Task* task = next.parent; task; task = task->parent)
    if (task == left)
      return;
  broken(Rule::kConstraint,
         "task %" PRIu64 " begins, and does not descend from task %" PRIu64
         ", which is suspended on this thread",
         next.id, left->id);
}

void check_sources(const Task& task) {
  for (uint32_t i = 0; i < task.sources.size; ++i) {
    uint64_t id = 0;
    auto is_open = [&id](const Task& source) {
      id = source.id;
      return !over(source);
    };
    // A source's children keep its record when it is over: others may end those at this moment.
    if (tasks.holds(task.sources.items[i], is_open))
      broken(Rule::kDependences,
             "task %" PRIu64 " begins before task %" PRIu64 ", which it depends on", task.id, id);
  }
}

/// Its creator's thread has ended, and so has the initial task there.
bool left_behind(const Task& task) { return !task.region->creator && task.region->over; }

/// Such a task is run in another initial task, and belongs to the region around that.
void inherit(Task& task, Region& heir) {
  Region& before = *task.region;
  before.open_tasks[task.barrier & 1].fetch_sub(1, std::memory_order_relaxed);
  heir.open_tasks[task.barrier & 1].fetch_add(1, std::memory_order_relaxed);
  regions.use(heir);
  task.region = &heir;
  regions.drop(before);
}

void begin(Thread& thread, Task& task, Task* left) {
  if (task.has_own_index()) {
    broken(Rule::kSchedule, "implicit task %" PRIu64 " begins by being scheduled", task.id);
    return;
  }
  if (task.has_dependences && !task.dependences_told)
    broken(Rule::kDependences, "task %" PRIu64 " begins, and its dependences have not been told",
           task.id);
  check_sources(task);
  if (left && left->is(ompt_task_initial) && left_behind(task))
    inherit(task, *left->region);
  else
    check_constraint(task, left);
  if (left && left->region != task.region && !over(*left))
    broken(Rule::kSchedule, "task %" PRIu64 " of region %" PRIu64 " begins in region %" PRIu64,
           task.id, task.region->id, left->region->id);
  task.thread = &thread;
  task.under = left;
}

void go_on(Thread& thread, Task& task) {
  if (task.thread != &thread && !task.is(static_cast<int>(ompt_task_untied)))
    broken(Rule::kSchedule,
           "tied task %" PRIu64 " goes on on another thread than it was left on (%u)", task.id,
           task.thread->number);
  task.thread = &thread;
}

/// The thread comes to `next`; what it left was below it on the stack, or is over.
void enter(Thread& thread, Task& next, Task* left) {
  TaskState state = next.state.load(std::memory_order_acquire);
  if (state == TaskState::kCreated &&
      next.state.compare_exchange_strong(state, TaskState::kRunning, std::memory_order_acq_rel))
    begin(thread, next, left);
  else if (state == TaskState::kSuspended &&
           next.state.compare_exchange_strong(state, TaskState::kRunning,
                                              std::memory_order_acq_rel))
    go_on(thread, next);
  else
    broken(Rule::kSchedule, "task %" PRIu64 " begins or goes on, and %s", next.id,
           state == TaskState::kRunning ? "runs already" : "its code is over");
  thread.current = &next;
}

void leave(Task& task, ompt_task_status_t status) {
  switch (status) {
  case ompt_task_complete:
  case ompt_task_cancel:
    if (task.has_own_index())
      broken(Rule::kSchedule, "implicit task %" PRIu64 " is completed by scheduling", task.id);
    else if (task.open.size && status == ompt_task_cancel)
      task.abandon(); // a cancelled task may be left in the middle of anything
    else
      check_nothing_open(task);
    if (!task.has_own_index())
      finish(task);
    return;
  case ompt_task_detach:
    check_nothing_open(task);
    if (task.fulfilled)
      broken(Rule::kSchedule, "task %" PRIu64 " is detached, but its event was fulfilled before",
             task.id);
    task.state.store(TaskState::kDetached, std::memory_order_release);
    return;
  default:
    task.state.store(TaskState::kSuspended, std::memory_order_release);
  }
}

bool never_begun(const Task& task) {
  return task.state.load(std::memory_order_acquire) == TaskState::kCreated;
}

void check_no_next(ompt_task_status_t status, const ompt_data_t* next) {
  if (next)
    broken(Rule::kArguments, "%s with a next task", word_for(status));
}

void taskwait_over(Task& task) {
  if (!task.is(ompt_task_taskwait))
    broken(Rule::kSchedule, "task %" PRIu64 " is no taskwait", task.id);
  check_sources(task);
  task.parent->waits_for_some = false;
  finish(task);
}

} // namespace

Task& new_task(ompt_data_t* data, int flags, Task* parent, Region* region) {
  Task& task = tasks.take();
  task.id = next_task_id();
  task.flags = flags;
  task.has_dependences = task.dependences_told = task.fulfilled = task.reached_barrier =
      task.waits_for_some = false;
  task.index = 0;
  task.barrier = 0;
  task.region = region;
  task.parent = parent;
  task.home = task.group = nullptr;
  task.thread = nullptr;
  task.under = nullptr;
  // Relaxed: the task's number, which others find it by, is published by the runtime.
  task.children.store(0, std::memory_order_relaxed);
  // Release: who asks for the state of the record's last task, and sees this one, sees that the
  // number is another one.
  task.state.store(TaskState::kCreated, std::memory_order_release);
  if (parent)
    tasks.use(*parent);
  if (region)
    regions.use(*region);
  if (!data) {
    broken(Rule::kData, "a task begins without data");
    return task;
  }
  if (data->value != 0)
    broken(Rule::kData, "the task's data is not zero at first");
  *data = tasks.number(task);
  return task;
}

void finish(Task& task) {
  if (task.state.exchange(TaskState::kOver, std::memory_order_acq_rel) == TaskState::kOver) {
    broken(Rule::kSchedule, "task %" PRIu64 " is completed a second time", task.id);
    return;
  }
  Task* parent = task.parent;
  Region* region = task.region;
  if (!task.has_own_index()) {
    // Release: with the waiting thread's acquire, everything told of the task comes before.
    parent->children.fetch_sub(1, std::memory_order_release);
    open_tasks(task).fetch_sub(1, std::memory_order_release);
    for (Group* group = task.home; group; group = group->outer)
      group->open.fetch_sub(1, std::memory_order_release);
    task.abandon();
    drop(task.home);
    task.home = task.group = nullptr;
  }
  drop(&task);
  if (region)
    regions.drop(*region);
}

void task_created(Thread& thread, const ompt_data_t* creator_data, const ompt_frame_t* frame,
                  ompt_data_t* data, int flags, bool has_dependences, const void* address) {
  check_address(address, false);
  check_flags(flags);
  check_entered_frame(frame);
  Task* creator = current_task(thread, creator_data);
  if (!creator)
    return;
  Task& task = new_task(data, flags, creator, creator->region);
  task.has_dependences = has_dependences;
  task.barrier = creator->barrier;
  task.home = task.group = creator->group;
  use(task.group);
  if (task.is(ompt_task_taskwait))
    creator->waits_for_some = true;
  creator->children.fetch_add(1, std::memory_order_relaxed);
  open_tasks(task).fetch_add(1, std::memory_order_relaxed);
  for (Group* group = task.group; group; group = group->outer)
    group->open.fetch_add(1, std::memory_order_relaxed);
}

void task_scheduled(Thread& thread, const ompt_data_t* prior_data, ompt_task_status_t status,
                    const ompt_data_t* next_data) {
  if (status < ompt_task_complete || status > ompt_taskwait_complete) {
    broken(Rule::kArguments, "a status of %d", status);
    return;
  }
  if (status == ompt_taskwait_complete) {
    check_no_next(status, next_data);
    if (Task* task = named_task(prior_data, "the taskwait"))
      taskwait_over(*task);
    return;
  }
  Task* prior = named_task(prior_data, "the prior task");
  Task* next = named_task(next_data, "the next task");
  if (prior && next && status == ompt_task_cancel && next == thread.current &&
      never_begun(*prior)) {
    finish(*prior); // discarded: the thread goes on with what it is in
    return;
  }
  if (prior && prior != thread.current)
    broken(Rule::kSchedule, "the prior task is %" PRIu64 ", and the thread is in task %" PRIu64,
           prior->id, id_of(thread.current));
  if (!prior || !next)
    return;
  if (prior == next) {
    broken(Rule::kSchedule, "from task %" PRIu64 " to itself", prior->id);
    return;
  }
  bool returns =
      status == ompt_task_complete || status == ompt_task_cancel || status == ompt_task_detach;
  Task* left = returns ? prior->under : prior;
  leave(*prior, status);
  enter(thread, *next, left);
}

void event_fulfilled(const ompt_data_t* data, ompt_task_status_t status, const ompt_data_t* next) {
  check_no_next(status, next);
  Task* task = named_task(data, "the task with the event");
  if (!task)
    return;
  TaskState state = task->state.load(std::memory_order_acquire);
  if (status == ompt_task_early_fulfill) {
    if (state == TaskState::kDetached || task->fulfilled)
      broken(Rule::kSchedule,
             "task %" PRIu64 ": early, but its code is over, or it happened before", task->id);
    task->fulfilled = true;
  } else if (state != TaskState::kDetached) {
    broken(Rule::kSchedule, "task %" PRIu64 ": late, but its code is not over", task->id);
  } else {
    finish(*task);
  }
}

void dependences_told(Thread& thread, const ompt_data_t* data, const ompt_dependence_t* list,
                      int count) {
  Task* task = named_task(data, "the task with the dependences");
  if (count > 0 && !list)
    broken(Rule::kArguments, "%d dependences, and no list", count);
  bool doacross = false;
  for (int i = 0; list && i < count; ++i) {
    ompt_dependence_type_t kind = list[i].dependence_type;
    doacross |= kind == ompt_dependence_type_source || kind == ompt_dependence_type_sink;
    if (kind < ompt_dependence_type_in ||
        (kind > ompt_dependence_type_inoutset && kind != ompt_dependence_type_out_all_memory &&
         kind != ompt_dependence_type_inout_all_memory))
      broken(Rule::kArguments, "a dependence of kind %d", kind);
  }
  if (!task)
    return;
  if (doacross) {
    if (task != thread.current)
      broken(Rule::kDependences,
             "doacross dependences of task %" PRIu64 ", which the thread is not in", task->id);
    return;
  }
  if (task->parent != thread.current)
    broken(Rule::kDependences, "dependences of task %" PRIu64 " are not told by its creator",
           task->id);
  if (!task->has_dependences)
    broken(Rule::kDependences, "task %" PRIu64 " was created without dependences", task->id);
  if (task->dependences_told)
    broken(Rule::kDependences, "the dependences of task %" PRIu64 " are told again", task->id);
  if (!never_begun(*task))
    broken(Rule::kDependences, "the dependences of task %" PRIu64 " are told after its begin",
           task->id);
  task->dependences_told = true;
}

void dependence_told(Thread&, const ompt_data_t* source, const ompt_data_t* sink) {
  if (!source || !tasks.is_number(source->value))
    broken(Rule::kData, "the source of a dependence is no task");
  Task* task = named_task(sink, "the sink of a dependence");
  if (!task || !source)
    return;
  if (!task->has_dependences)
    broken(Rule::kDependences, "task %" PRIu64 " was created without dependences", task->id);
  if (!never_begun(*task))
    broken(Rule::kDependences, "a dependence of task %" PRIu64 " is told after its begin",
           task->id);
  else
    task->sources.push(source->value);
}

void cancelled(Thread& thread, const ompt_data_t* data, int flags, const void* address) {
  constexpr int kConstructs =
      ompt_cancel_parallel | ompt_cancel_sections | ompt_cancel_loop | ompt_cancel_taskgroup;
  constexpr int kHow = ompt_cancel_activated | ompt_cancel_detected | ompt_cancel_discarded_task;
  int construct = flags & kConstructs;
  if (construct == 0 || (construct & (construct - 1)) != 0)
    broken(Rule::kArguments, "flags %#x name no construct, or several", flags);
  if ((flags & kHow) == 0)
    broken(Rule::kArguments, "flags %#x do not say what happened", flags);
  Task* task = named_task(data, "the cancelled task");
  if (flags & ompt_cancel_discarded_task)
    return;
  check_address(address, false);
  if (task && task != thread.current)
    broken(Rule::kSchedule,
           "task %" PRIu64 " comes to a cancellation, and the thread is in task %" PRIu64, task->id,
           id_of(thread.current));
  if (task && construct == ompt_cancel_parallel && (flags & ompt_cancel_activated))
    task->region->cancelled.store(true, std::memory_order_relaxed);
}

} // namespace ompt_check
