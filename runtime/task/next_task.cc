// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a worker may start, and where it looks for that.
#include <algorithm>

#include "sys/delay.h"
#include "sys/relaxed.h"
#include "task/children.h"
#include "task/depend.h"
#include "task/overflow.h"
#include "task/run.h"

namespace xomp {
namespace {

struct Taker {
  const Worker& worker;
  const Search& search;
  bool overflow_full = false;

  bool post_instead(DeferredTask& task) {
    if (!search.thorough || worker.policy->shared || overflow_full)
      return false;
    overflow_full = !post_kept(*worker.task_team, task);
    if (!overflow_full)
      ring_others(worker);
    return !overflow_full;
  }
};

Verdict judge(DeferredTask* task, void* context) {
  auto& taker = *static_cast<Taker*>(context);
  sys::delay();
  if (task->phase(std::memory_order_acquire) == kReady) {
    if (!begun(taker.worker))
      return Verdict::kKeep;
    // Dropped: the queue entry has changed its place.
    if (!allows(taker.search, *task))
      return taker.post_instead(*task) ? Verdict::kDrop : Verdict::kKeep;
    if (try_claim(*task, kInQueue))
      return Verdict::kTake;
  }
  sys::delay();
  // Stale: its parent's worker ran it.
  give_up(*task, kInQueue);
  return Verdict::kDrop;
}

int32_t priority_of(const DeferredTask* task) { return task->priority; }

} // namespace

bool drop_if_stale(DeferredTask* task) {
  // Relaxed: a task that is not ready any more stays so; whoever takes an entry that moves looks
  // again.
  if (task->phase(std::memory_order_relaxed) == kReady)
    return false;
  give_up(*task, kInQueue);
  return true;
}

uint32_t depth_of(const DeferredTask* task) {
  return static_cast<uint32_t>(std::min<uint64_t>(task->parent->depth, UINT32_MAX));
}

bool allows(const Search& search, const DeferredTask& task) {
  if (search.wanted && search.wanted->over())
    return false;
  // Relaxed: a task that somebody else has begun may change it.
  if (search.scope.is_members())
    return Scope::of(sys::load_relaxed(task.own_env.group)).word == search.scope.word;
  return search.scope.anything() || search.scope.includes(task.parent);
}

bool Wanted::over() const {
  // Acquire: whoever finds the list closed sees the task's effects. What a task made ready was
  // ready after that: a wait that has seen it so does not miss that it is over.
  for (std::size_t i = count; i > 0; --i) {
    if (tasks[i - 1]->successors.load(std::memory_order_acquire) != kClosed)
      return false;
  }
  return count > 0;
}

DeferredTask* claim_leading(Worker& worker, const Search& search) {
  auto allowed = [&](const DeferredTask& task) { return allows(search, task); };
  // A chain that leads there is followed to its end.
  if (DeferredTask* task = claim_ready_successor(worker, allowed))
    return task;
  FullFrame& full_frame = *current_full_frame(worker);
  if (!full_frame.live)
    return nullptr;
  // Looks at everything go on until one is in vain. What is ready farther away is in a queue.
  bool repeated = search.thorough && all_is_found(worker);
  auto allowed_child = [](const DeferredTask& child, const void* context) {
    return allows(*static_cast<const Search*>(context), child);
  };
  return claim_child(worker, full_frame, repeated ? kFew : search.few(), allowed_child, &search);
}

DeferredTask* claim_wanted(Worker& worker, const Search& search) {
  const Wanted& wanted = *search.wanted;
  for (std::size_t i = 0; i < wanted.count && i < std::max(search.few(), 64u); ++i) {
    if (claim_this(worker, *wanted.tasks[i]))
      return wanted.tasks[i];
  }
  if (!wanted.group)
    return claim_leading(worker, search);
  // What it has seen of the overflow list is for this look only: others than members may be
  // allowed.
  Search members = search;
  members.scope = Scope::of(wanted.group);
  DeferredTask* task = claim_leading(worker, members);
  // What members have created.
  return task || !all_is_found(worker) ? task : next_task(worker, members);
}

DeferredTask* next_task(Worker& worker, Search& search) {
  FullFrame* root = search.scope.anything() ? current_full_frame(worker) : nullptr;
  if (root && root->live) {
    if (DeferredTask* task = claim_child(worker, *root, search.few()))
      return task;
  }
  auto allowed = [&](const DeferredTask& task) { return allows(search, task); };
  if (DeferredTask* task = claim_ready_successor(worker, allowed))
    return task;
  Taker taker{worker, search};
  Judge asked{judge, &taker, search.thorough, search.scope.anything(), priority_of, search.few()};
  auto take = [&] { return worker.policy->take(worker, asked); };
  // A look before a sleep misses nothing that is on its way from one queue to another.
  DeferredTask* task = search.thorough ? worker.task_team->sleepers.look_thoroughly(take) : take();
  if (task)
    return task;
  // Not every look goes through tasks most of which may not be started here.
  constexpr uint32_t kFar = 8 * kFew;
  if (!search.scope.anything() && search.few() < kFar)
    return nullptr;
  return claim_posted(worker, search);
}

} // namespace xomp
