// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "task/run.h"

#include "events/events.h"
#include "task/activity.h"
#include "task/ancestry.h"
#include "task/children.h"
#include "task/frame.h"
#include "task/full_frame.h"

namespace xomp {
namespace {

/// Everything that the tasks run at this level left ready. All of it descends from them.
DeferredTask* claim_left_behind(Worker& worker) {
  if (DeferredTask* task = claim_ready_successor(worker, [](auto&) { return true; }))
    return task;
  while (FullFrame* full_frame = worker.ended_with_ready) {
    DeferredTask* task = claim_left(worker, *full_frame);
    if (task && has_ready(*full_frame))
      return task;
    // Before its last child runs, which may leave a full frame itself: a chain of tasks does not
    // make the list longer.
    worker.ended_with_ready = full_frame->next;
    free_or_keep(worker, *full_frame);
    if (task)
      return task;
  }
  return nullptr;
}

void finish(Worker& worker, DeferredTask& task, FullFrame* full_frame) {
  if (full_frame && leave_children(worker, *full_frame)) {
    if (all_is_found(worker) && !full_frame->left_ready) {
      free_or_keep(worker, *full_frame);
    } else {
      full_frame->next = worker.ended_with_ready;
      worker.ended_with_ready = full_frame;
    }
  }
  XOMP_ASSERT(task.unfinished.load(std::memory_order_relaxed) > 0);
  // Acquire-release: the later of body and event sees what the other did.
  if (task.detachable() && task.unfinished.fetch_sub(1, std::memory_order_acq_rel) != 1)
    return;
  complete(&worker, task);
}

uint8_t taken(const Worker& worker, const DeferredTask& task) {
  return task.parent->owner == &worker ? 0 : trace::kTaskFlagTaken;
}

/// Calls the body, for listeners.
[[gnu::noinline]] void call_traced(trace::Track& track, Worker& worker, DeferredTask& task) {
  trace::TaskTrace met;
  if (!task.traced)
    trace::task_met(track, met, reinterpret_cast<trace::Code>(task.body));
  trace::TaskTrace& trace = task.traced ? trace_of(task) : met;
  make_waits_traced(worker);
  trace::task_begins(track, trace);
  task.body(task.payload);
  trace::task_ends(track, trace,
                   {taken(worker, task), cancelled(worker, *worker.env), task.detachable()});
}

/// Calls the body in a frame that has nothing to do with those below; returns the full frame that
/// the task made.
FullFrame* call_body(Worker& worker, DeferredTask& task) {
  Env* env = change_env(worker, &task.own_env);
  Slot* outer = nullptr;
  Slot* frame = enter_frame(worker, root_mark, outer);
  if (frame) [[likely]]
    root_of(*frame) = Root{&task.own_env, task.parent};
  bool measures = frame && worker.count > 1 && frame + 1 < worker.stack.last;
  if (measures)
    expect_no_creation(frame);
  int64_t begin = measures ? sys::ticks() : 0;
  if (worker.track) [[unlikely]]
    call_traced(*worker.track, worker, task);
  else
    task.body(task.payload);
  if (measures && !has_created(frame)) {
    int64_t ticks = sys::ticks() - begin;
    count_size(worker, ticks);
    note_sizes(*task.parent->owner, 1, ticks);
  }
  FullFrame* full_frame = nullptr;
  if (frame) [[likely]] {
    if (has_own(worker))
      move_to_heap(worker); // this task may be complete before they are
    full_frame = current_full_frame(worker);
    worker.stack.current = outer;
    worker.stack.cut(frame);
  }
  change_env(worker, env);
  return full_frame;
}

void execute(Worker& worker, DeferredTask& task) {
  XOMP_ASSERT(self == &worker && task.phase(std::memory_order_relaxed) == kRunning);
  make_busy(worker);
  Worker& creator = *task.parent->owner;
  worker.counters.count_run(&creator == &worker, creator.domain == worker.domain);
  FullFrame* full_frame = nullptr;
  if (cancelled(worker, task.own_env) && task.when_discarded != WhenDiscarded::kRun) [[unlikely]] {
    // Nobody needs to fulfill the event of a task that is discarded; whoever has done so, or does
    // it at this moment, has a share in the task as ever. Relaxed: `finish` does the rest.
    if (task.detachable() && withdraw_event(task))
      task.unfinished.fetch_sub(1, std::memory_order_relaxed);
    if (worker.track && task.traced)
      trace::task_discarded(*worker.track, trace_of(task), taken(worker, task),
                            worker.task_team->cancelled.load(std::memory_order_relaxed));
    if (task.when_discarded == WhenDiscarded::kTell)
      discard(worker, task.body, task.payload);
  } else {
    full_frame = call_body(worker, task);
  }
  finish(worker, task, full_frame);
}

/// A task was found, here or in a queue: the policy may want to know.
void notify_policy(Worker& worker) {
  if (worker.policy->found_task)
    worker.policy->found_task(worker);
}

} // namespace

void discard(Worker& worker, void (*body)(void*), void* data) {
  worker.discards = true;
  body(data);
  worker.discards = false;
}

bool cancelled(const Worker& worker, const Env& env) {
  if (!settings.cancellation) [[likely]]
    return false;
  // Relaxed: cancellation is noticed "at some point"; nothing is read on the strength of it.
  if (worker.task_team->cancelled.load(std::memory_order_relaxed))
    return true;
  Taskgroup* group = env.group;
  if (!group)
    return false;
  if (group->cancelled.load(std::memory_order_relaxed))
    return true;
  return group->workshare && group->outer &&
         group->outer->cancelled.load(std::memory_order_relaxed);
}

void launch(Worker& worker, DeferredTask& task) {
  notify_policy(worker);
  launch_untold(worker, task);
}

void launch_untold(Worker& worker, DeferredTask& task) {
  Activity here(worker, ActivityKind::kTask);
  Level level(worker);
  execute(worker, task);
  level.run_left_behind();
}

void launch_for_some(Worker& worker, DeferredTask& task) {
  // Else nobody else comes for what is left, or somebody else waits for that.
  if ((worker.count > 1 && !all_is_found(worker)) || task.parent != current_full_frame(worker))
    return launch(worker, task);
  notify_policy(worker);
  Activity here(worker, ActivityKind::kTask);
  Level level(worker);
  execute(worker, task);
  if (worker.ended_with_ready)
    level.run_left_behind();
  else
    level.pass_successors();
}

void Level::pass_successors() {
  DeferredTask** end = &worker.ready_successors;
  while (*end)
    end = &(*end)->next_ready;
  *end = ready_successors;
  ready_successors = worker.ready_successors;
}

void Level::run_left_behind() {
  while (DeferredTask* next = claim_left_behind(worker)) {
    notify_policy(worker);
    execute(worker, *next);
  }
  XOMP_ASSERT(!worker.ready_successors && !worker.ended_with_ready);
}

} // namespace xomp
