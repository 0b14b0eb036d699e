// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "task/full_frame.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "sys/assert.h"
#include "sys/delay.h"
#include "sys/memory.h"
#include "sys/report.h"
#include "task/depend.h"
#include "task/environment.h"
#include "task/frame.h"
#include "task/placement.h"

namespace xomp {
namespace {

/// Relaxed: by the owner, who is the one that changes it, or before anybody else knows of the
/// frame.
FullFrame* ancestor_of(const FullFrame& full_frame) {
  return full_frame.ancestor.load(std::memory_order_relaxed);
}

/// Sets `ancestor`, `depth`, and `jump` so that any ancestor is a logarithmic number of steps away:
/// jumps have the lengths of a skew-binary number's digits (Myers, "An applicative random-access
/// stack", 1983). Tasks of one stack end one after the other, each full frame that is kept keeps
/// the next one, and so what is jumped to there. What lies on another stack may be bypassed: it is
/// kept by a link, and not jumped to before that is worth it.
void point_upwards(FullFrame& full_frame, FullFrame* above) {
  constexpr uint64_t kDeep = 64;
  full_frame.ancestor.store(above, std::memory_order_relaxed); // nobody else knows of it yet
  full_frame.jump = &full_frame;
  if (!above)
    return;
  full_frame.depth = above->depth + 1;
  bool elsewhere = above->owner != full_frame.owner;
  if (elsewhere && full_frame.depth < kDeep)
    return;
  FullFrame* far = above->jump;
  XOMP_ASSERT(far && far->depth <= above->depth);
  bool alike = above->depth - far->depth == far->depth - far->jump->depth;
  full_frame.jump = alike ? far->jump : above;
  full_frame.holds_jump = elsewhere || (alike && (above->holds_jump || far->holds_jump));
  // Relaxed: what is above keeps it until then.
  if (full_frame.holds_jump)
    full_frame.jump->links.fetch_add(1, std::memory_order_relaxed);
}

/// How often memory may be taken afresh before the next look for what has become free. A look costs
/// as much as it leaves behind, so it is paid for by as many that need memory. Those that take what
/// it freed count too: if each look were followed by fresh memory, what is kept would grow with the
/// square root of all that was ever needed. So at most twice as much is kept as was in use at once.
/// `look` returns how much it leaves behind.
template <class Look> [[gnu::always_inline]] inline void look_when_due(SweepDue& due, Look look) {
  if (due.credit > 0) {
    --due.credit;
    return;
  }
  uint32_t before = due.freed, cost = 8 + look(), gained = due.freed - before;
  due.credit = cost > gained ? cost - gained : 0;
}

FullFrame* new_full_frame(Worker& worker) {
  if (!worker.free_full_frames)
    look_when_due(worker.full_frames_due, [&] { return sweep_ended(worker); });
  FullFrame* full_frame = worker.free_full_frames;
  if (!full_frame)
    return sys::create<FullFrame>();
  worker.free_full_frames = full_frame->next;
  XOMP_ASSERT(worker.kept_full_frames > 0);
  --worker.kept_full_frames;
  return ::new (full_frame) FullFrame();
}

/// Full frames go from thieves to those they steal from, so what is kept is bounded.
constexpr uint32_t kMostFree = 256;

/// Its task has none left: what is left of thefts counts as links.
bool childless(const FullFrame& full_frame) {
  // Relaxed: a theft has its link longer.
  return full_frame.live == 0 && full_frame.stolen.load(std::memory_order_relaxed) == 0;
}

/// Takes one from the full frame's links; if it was the last, adds it to `unlinked`.
void unlink(FullFrame& full_frame, FullFrame*& unlinked) {
  // Acquire-release: whoever frees it sees what all others have written, who look at it no more.
  uint32_t links = full_frame.links.fetch_sub(1, std::memory_order_acq_rel);
  XOMP_ASSERT(links > 0);
  if (links > 1)
    return;
  full_frame.next = unlinked;
  unlinked = &full_frame;
}

/// Frees what nothing links any more, and what was linked by that alone. Those of them that are
/// bypassed are put aside.
void free_all_of(Worker& worker, FullFrame* unlinked) {
  while (FullFrame* full_frame = unlinked) {
    unlinked = full_frame->next;
    XOMP_ASSERT(childless(*full_frame));
    // Relaxed: ordered by what has unlinked it; as below.
    if (full_frame->bypassed.load(std::memory_order_relaxed)) [[unlikely]] {
      full_frame->next = worker.bypassed;
      worker.bypassed = full_frame;
      ++worker.bypassed_count;
      continue;
    }
    FullFrame* ancestor = ancestor_of(*full_frame);
    if (ancestor && full_frame->ended.load(std::memory_order_relaxed))
      unlink(*ancestor, unlinked);
    if (full_frame->holds_jump)
      unlink(*full_frame->jump, unlinked);
    ++worker.full_frames_due.freed;
    if (worker.kept_full_frames == kMostFree) {
      sys::destroy(full_frame);
    } else {
      full_frame->next = worker.free_full_frames;
      worker.free_full_frames = full_frame;
      ++worker.kept_full_frames;
    }
  }
}

/// Those that were put aside, once nobody climbs to them.
FullFrame* take_bypassed(Worker& worker) {
  for (FullFrame* each = worker.bypassed; each; each = each->next)
    each->bypassed.store(false, std::memory_order_relaxed); // nobody else has it
  return std::exchange(worker.bypassed, nullptr);
}

constexpr uint32_t kBypassedAtOnce = 128; // a fence costs some microseconds

/// Frees those that somebody may still have climbed to when others had bypassed them, if nobody
/// climbs that did so then.
void release_bypassed(Worker& worker) {
  do {
    worker.bypassed_count = 0;
    sys::heavy_fence();
    for (int i = 0; i < worker.count; ++i) {
      if (!peer_of(worker, i).climbs.are_over())
        return;
    }
    free_all_of(worker, take_bypassed(worker));
  } while (worker.bypassed_count >= kBypassedAtOnce);
}

void free_unlinked(Worker& worker, FullFrame* unlinked) {
  free_all_of(worker, unlinked);
  if (worker.bypassed_count >= kBypassedAtOnce) [[unlikely]]
    release_bypassed(worker);
}

/// It has no link but its owner's.
void free_full_frame(Worker& worker, FullFrame& full_frame) {
  XOMP_ASSERT(full_frame.links.load(std::memory_order_relaxed) == 1);
  full_frame.next = nullptr;
  free_unlinked(worker, &full_frame);
}

bool can_free(const DeferredTask& task) {
  // Acquire pairs with the release in `complete` and with the give-up of queue entries and of
  // places in ready lists.
  return task.state.load(std::memory_order_acquire) == kDone && task.table_refs == 0;
}

void free_child(Worker& worker, FullFrame& full_frame, DeferredTask& task) {
  XOMP_ASSERT(task.phase(std::memory_order_relaxed) == kDone && task.parent == &full_frame);
  XOMP_ASSERT(full_frame.live > 0);
  if (task.exclusion || task.edge_blocks) [[unlikely]]
    free_edges(task);
  --full_frame.live;
  ++worker.children_due.freed;
  std::size_t bytes = task.units * Heap::kAlign;
  task.~DeferredTask();
  worker.heap.free(&task, bytes);
}

} // namespace

void unlink(Worker& worker, FullFrame& full_frame) {
  FullFrame* unlinked = nullptr;
  unlink(full_frame, unlinked);
  free_unlinked(worker, unlinked);
}

/// Nobody waits in a task that has ended, so its full frame need not be climbed through, nor be
/// kept for that: a chain of tasks, each creating the next, would keep all of them.
FullFrame* nearest_waiting(FullFrame& parent) {
  FullFrame* full_frame = &parent;
  // Acquire: an ended full frame has its link, which keeps the next one and does not change any
  // more; the child that runs now keeps the first.
  while (full_frame && full_frame->ended.load(std::memory_order_acquire))
    full_frame = ancestor_of(*full_frame);
  return full_frame;
}

FullFrame& full_frame_at(Slot* frame, Worker& owner, Worker& maker) {
  // Acquire: somebody else may have made it.
  uintptr_t link = frame->link.load(std::memory_order_acquire);
  if (link)
    return *reinterpret_cast<FullFrame*>(link);
  XOMP_ASSERT(&owner == &maker || owner.stack.is_locked());
  FullFrame* full_frame = new_full_frame(maker);
  full_frame->owner = &owner;
  FullFrame* above = nullptr;
  if (!is_root(*frame))
    above = nearest_full_frame(SplitStack::frame_below(frame));
  else if (FullFrame* parent = root_of(*frame).parent)
    above = nearest_waiting(*parent);
  bool current = &owner == &maker && frame == owner.stack.current;
  full_frame->env = current ? owner.env : env_at(frame);
  point_upwards(*full_frame, above);
  // Acquire-release: a thread that finds it reads what is above; if somebody else was faster, so do
  // we.
  if (frame->link.compare_exchange_strong(link, reinterpret_cast<uintptr_t>(full_frame),
                                          std::memory_order_acq_rel, std::memory_order_acquire))
    return *full_frame;
  free_full_frame(maker, *full_frame);
  return *reinterpret_cast<FullFrame*>(link);
}

namespace {

/// Of the frames from `frame` downwards that have no full frame, up to the first that has one, the
/// lowest; `frame` if it is the only one.
Slot* lowest_without(Slot* frame) {
  while (!is_root(*frame)) {
    Slot* below = SplitStack::frame_below(frame);
    // Relaxed: a hint; `full_frame_at` looks again.
    if (below->body == guest_mark || below->link.load(std::memory_order_relaxed))
      break;
    frame = below;
  }
  return frame;
}

/// The current task is about to put its first child into a queue that is nearly full. It may leave
/// the child behind; tasks that wait for it then run some of what is left (`run_some_left`), and
/// have to have full frames to find that they descend from them.
[[gnu::noinline]] void make_those_below(Worker& worker) {
  Slot* current = worker.stack.current;
  for (Slot* frame; (frame = lowest_without(current)) != current;)
    full_frame_at(frame, worker, worker);
}

} // namespace

FullFrame& own_full_frame(Worker& worker) {
  Slot* current = worker.stack.current;
  // Relaxed: a hint, as above.
  if (!current->link.load(std::memory_order_relaxed) && !is_root(*current) &&
      worker.policy->is_crowded && worker.policy->is_crowded(worker)) [[unlikely]]
    make_those_below(worker);
  return full_frame_at(current, worker, worker);
}

FullFrame& ended_full_frame(Worker& worker, FullFrame& ancestor) {
  FullFrame& full_frame = *new_full_frame(worker);
  full_frame.owner = &worker;
  point_upwards(full_frame, &ancestor);
  // Relaxed: as in `leave_children`; nobody else knows it yet.
  ancestor.links.fetch_add(1, std::memory_order_relaxed);
  full_frame.ended.store(true, std::memory_order_relaxed);
  return full_frame;
}

namespace {
/// Where the worker gets memory from what the children of other tasks leave, nobody would look for
/// what this one's have left. Paid for by as many new ones.
[[gnu::noinline, gnu::cold]] void sweep_own(Worker& worker, FullFrame& full_frame) {
  sweep(worker, full_frame);
  full_frame.sweep_at = 2 * full_frame.live + FullFrame::kFewChildren;
}
} // namespace

DeferredTask& new_child(Worker& worker, FullFrame& full_frame, std::size_t size, std::size_t align,
                        std::size_t edges) {
  XOMP_ASSERT(self == &worker && full_frame.owner == &worker);
  bool traced = worker.track;
  std::size_t offset = sizeof(DeferredTask) + (traced ? sizeof(trace::TaskTrace) : 0);
  if (align > alignof(void*))
    offset = (offset + align - 1) & ~(align - 1);
  // An argument block that wants more than other blocks gets slack.
  std::size_t slack = align > Heap::kAlign ? align : 0;
  std::size_t bytes = Heap::size_for(offset + size + slack + edges * sizeof(DependEdge));
  if (bytes / Heap::kAlign > UINT32_MAX) [[unlikely]]
    sys::fatal("a task's argument block of %zu bytes is too large", size);
  if (full_frame.live >= full_frame.sweep_at) [[unlikely]]
    sweep_own(worker, full_frame);
  void* memory = worker.heap.reuse(bytes);
  if (!memory) {
    look_when_due(worker.children_due,
                  [&] { return sweep(worker, full_frame) + sweep_ended(worker); });
    memory = worker.heap.allocate(bytes);
  }
  auto* task = ::new (memory) DeferredTask();
  task->state.store(kWaiting, std::memory_order_relaxed);
  task->units = static_cast<uint32_t>(bytes / Heap::kAlign);
  task->parent = &full_frame;
  if (traced) {
    ::new (task + 1) trace::TaskTrace;
    task->traced = true;
  }
  auto address = reinterpret_cast<uintptr_t>(memory) + offset;
  if (slack)
    address = (address + align - 1) & ~(align - 1);
  task->payload = reinterpret_cast<void*>(address);
  ++full_frame.live;
  return *task;
}

bool try_claim(DeferredTask& task, uint32_t held) {
  XOMP_ASSERT((held & ~uint32_t{kInQueue | kInReadyList}) == 0 && (!held || task.names(held)));
  uint32_t state = task.state.load(std::memory_order_relaxed);
  while ((state & kPhase) == kReady) {
    uint32_t claimed = (state & ~(kPhase | held)) | kRunning;
    sys::delay();
    // Acquire: the claimant reads what the creator wrote.
    if (task.state.compare_exchange_weak(state, claimed, std::memory_order_acquire,
                                         std::memory_order_relaxed))
      return true;
  }
  return false;
}

void add_ready(FullFrame& full_frame, DeferredTask& task) {
  XOMP_ASSERT(task.parent == &full_frame);
  full_frame.children.push_front(task);
}

void add_away(FullFrame& full_frame, DeferredTask& task) {
  XOMP_ASSERT(task.parent == &full_frame);
  full_frame.away.push_back(task);
}

void add_waiting(FullFrame& full_frame, DeferredTask& task) {
  XOMP_ASSERT(task.parent == &full_frame);
  full_frame.waiting.push_back(task);
  ++full_frame.waiting_count;
}

namespace {

/// Takes a task that is done off its list: freed, or kept until nobody names it any more.
void retire(Worker& worker, FullFrame& full_frame, ChildList& list, DeferredTask** link) {
  DeferredTask& task = **link;
  XOMP_ASSERT(task.phase(std::memory_order_relaxed) == kDone);
  XOMP_ASSERT(&list != &full_frame.waiting || full_frame.waiting_count > 0);
  list.unlink(link);
  if (&list == &full_frame.waiting)
    --full_frame.waiting_count;
  if (can_free(task))
    free_child(worker, full_frame, task);
  else
    full_frame.spent.push_front(task);
}

bool drain(Worker& worker, FullFrame& full_frame, ChildList& list) {
  while (list.first) {
    if (list.first->phase(std::memory_order_acquire) != kDone)
      return false;
    retire(worker, full_frame, list, &list.first);
  }
  return true;
}

/// Claims a child for its parent's worker, with its queue entry if that is easily had: the task is
/// freed the sooner, and nobody comes to look at a stale one.
bool claim_and_retract(Worker& worker, DeferredTask& task) {
  // Relaxed: a queue entry is entered by this worker, before the task can be claimed.
  bool queued = task.state.load(std::memory_order_relaxed) & kInQueue;
  if (!queued || !worker.policy->retract || !worker.policy->retract(worker, &task))
    return try_claim(task, 0);
  if (try_claim(task, kInQueue))
    return true;
  XOMP_ASSERT(task.names(kInQueue));
  // Somebody else was faster. Relaxed: only this worker frees it.
  task.state.fetch_and(~uint32_t{kInQueue}, std::memory_order_relaxed);
  return false;
}

/// The first ready task among the first `steps` unfinished ones, of those that are `wanted`.
template <class Pick>
DeferredTask* claim_first(Worker& worker, FullFrame& full_frame, ChildList& list, uint32_t steps,
                          Pick wanted) {
  DeferredTask** link = &list.first;
  while (DeferredTask* task = *link) {
    uint32_t phase = task->phase(std::memory_order_acquire);
    if (phase == kDone) {
      retire(worker, full_frame, list, link);
      continue;
    }
    if (phase == kReady && !is_left_to_others(*task) && wanted(*task) &&
        claim_and_retract(worker, *task))
      return task;
    if (steps-- == 0)
      return nullptr;
    link = &task->sibling;
  }
  return nullptr;
}

template <class Pick>
DeferredTask* claim_first(Worker& worker, FullFrame& full_frame, uint32_t most,
                          std::initializer_list<ChildList*> lists, Pick wanted) {
  constexpr uint32_t kLeast = 64;
  XOMP_ASSERT(full_frame.owner == &worker);
  uint32_t steps = std::max(most, kLeast);
  for (ChildList* list : lists) {
    if (DeferredTask* task = claim_first(worker, full_frame, *list, steps, wanted))
      return task;
  }
  return nullptr;
}

/// Calls `visit` for each child that is ready until it returns true. Whether it did. Acquire:
/// what was done before it became ready (`Wanted::over`).
template <class Visit> bool visit_ready(const FullFrame& full_frame, Visit visit) {
  for (const ChildList* list : {&full_frame.children, &full_frame.away, &full_frame.waiting}) {
    for (DeferredTask* task = list->first; task; task = task->sibling) {
      if (task->phase(std::memory_order_acquire) == kReady && visit(*task))
        return true;
    }
  }
  return false;
}

/// The ready child of the highest priority; the newest of several.
template <class Pick> DeferredTask* claim_most_urgent(FullFrame& full_frame, Pick wanted) {
  for (;;) {
    DeferredTask* best = nullptr;
    visit_ready(full_frame, [&](DeferredTask& task) {
      if (!is_left_to_others(task) && (!best || task.priority > best->priority) && wanted(task))
        best = &task;
      return false;
    });
    if (!best || try_claim(*best, 0))
      return best;
  }
}

uint32_t sweep_list(Worker& worker, FullFrame& full_frame, ChildList& list) {
  uint32_t left = 0;
  DeferredTask** link = &list.first;
  while (DeferredTask* task = *link) {
    if (can_free(*task)) {
      retire(worker, full_frame, list, link);
    } else {
      ++left;
      link = &task->sibling;
    }
  }
  return left;
}

/// Frees what can be freed of the children of `list`'s full frames, and gives up those that have
/// none left. Returns how many it looked at in vain.
uint32_t sweep_full_frames(Worker& worker, FullFrame*& list) {
  uint32_t left = 0;
  FullFrame** link = &list;
  while (FullFrame* full_frame = *link) {
    uint32_t children = sweep(worker, *full_frame);
    if (childless(*full_frame)) {
      *link = full_frame->next;
      unlink(worker, *full_frame);
    } else {
      link = &full_frame->next;
      left += std::max(children, 1u); // a theft may be all that it has
    }
  }
  return left;
}

template <class Pick>
DeferredTask* claim_child(Worker& worker, FullFrame& full_frame, uint32_t most,
                          std::initializer_list<ChildList*> lists, Pick wanted) {
  if (full_frame.has_priorities) [[unlikely]] {
    drain_children(worker, full_frame); // not to go through them again
    return claim_most_urgent(full_frame, wanted);
  }
  return claim_first(worker, full_frame, most, lists, wanted);
}

} // namespace

DeferredTask* claim_child(Worker& worker, FullFrame& full_frame, uint32_t most) {
  return claim_child(worker, full_frame, most,
                     {&full_frame.children, &full_frame.waiting, &full_frame.away},
                     [](const DeferredTask&) { return true; });
}

DeferredTask* claim_child(Worker& worker, FullFrame& full_frame, uint32_t most,
                          bool (*wanted)(const DeferredTask& child, const void* context),
                          const void* context) {
  return claim_child(worker, full_frame, most,
                     {&full_frame.waiting, &full_frame.children, &full_frame.away},
                     [&](const DeferredTask& task) { return wanted(task, context); });
}

bool claim_this(Worker& worker, DeferredTask& child) {
  return child.phase(std::memory_order_relaxed) == kReady && !is_left_to_others(child) &&
         claim_and_retract(worker, child);
}

DeferredTask* claim_left(Worker& worker, FullFrame& full_frame) {
  bool any = !all_is_found(worker);
  return claim_child(worker, full_frame, UINT32_MAX,
                     {&full_frame.children, &full_frame.waiting, &full_frame.away},
                     [any](const DeferredTask& task) { return any || !task.names(kInQueue); });
}

bool has_ready(const FullFrame& full_frame) {
  return visit_ready(full_frame, [](DeferredTask&) { return true; });
}

bool drain_children(Worker& worker, FullFrame& full_frame) {
  // Acquire: what the stolen ones did.
  return full_frame.stolen.load(std::memory_order_acquire) == 0 &&
         drain(worker, full_frame, full_frame.children) &&
         drain(worker, full_frame, full_frame.waiting) &&
         drain(worker, full_frame, full_frame.away);
}

bool drain_ended(Worker& worker) {
  while (FullFrame* full_frame = worker.ended_with_running) {
    if (!drain_children(worker, *full_frame))
      return false;
    XOMP_ASSERT(full_frame->ended.load(std::memory_order_relaxed));
    worker.ended_with_running = full_frame->next;
    sweep_list(worker, *full_frame, full_frame->spent);
    if (childless(*full_frame)) {
      unlink(worker, *full_frame);
    } else {
      full_frame->next = worker.to_free;
      worker.to_free = full_frame;
    }
  }
  return true;
}

bool too_many_wait(Worker& worker, FullFrame& full_frame, uint32_t limit) {
  if (full_frame.waiting_count < limit)
    return false;
  DeferredTask** link = &full_frame.waiting.first;
  while (DeferredTask* task = *link) {
    if (task->phase(std::memory_order_acquire) == kDone)
      retire(worker, full_frame, full_frame.waiting, link);
    else
      link = &task->sibling;
  }
  return full_frame.waiting_count >= limit;
}

uint32_t sweep(Worker& worker, FullFrame& full_frame) {
  uint32_t left = sweep_list(worker, full_frame, full_frame.children);
  left += sweep_list(worker, full_frame, full_frame.away);
  left += sweep_list(worker, full_frame, full_frame.waiting);
  return left + sweep_list(worker, full_frame, full_frame.spent);
}

uint32_t sweep_ended(Worker& worker) {
  return sweep_full_frames(worker, worker.ended_with_running) +
         sweep_full_frames(worker, worker.to_free);
}

namespace {
/// The task of `full_frame` is about to end. If that of its ancestor has ended before, names the
/// nearest that has not: of tasks that each begin while the one that creates them runs, all would
/// be kept, as each keeps the one before. Returns the ancestor; null: all of them have ended.
FullFrame* bypass_ended(FullFrame& full_frame) {
  FullFrame* ancestor = ancestor_of(full_frame);
  // Without such a fence nobody could tell when those who climb have left it.
  if (!ancestor || !ancestor->ended.load(std::memory_order_acquire) || !sys::has_asymmetric_fence())
    return ancestor;
  FullFrame* waiting = nearest_waiting(*ancestor);
  // Relaxed: before its owner finds it empty, as the task that ends here is not done yet.
  ancestor->bypassed.store(true, std::memory_order_relaxed);
  full_frame.ancestor.store(waiting, std::memory_order_release); // `next_upwards`
  return waiting;
}
} // namespace

bool leave_children(Worker& worker, FullFrame& full_frame) {
  XOMP_ASSERT(full_frame.owner == &worker && !full_frame.ended.load(std::memory_order_relaxed));
  if (full_frame.depends) {
    destroy_table(*full_frame.depends);
    full_frame.depends = nullptr;
  }
  release_env(full_frame.own_env);
  sweep(worker, full_frame);
  // Acquire: all others have looked at it before.
  if (full_frame.live == 0 && full_frame.links.load(std::memory_order_acquire) == 1) {
    free_full_frame(worker, full_frame);
    return false;
  }
  // Relaxed: the ancestor cannot go away now, its task is below on this stack or not done yet, or
  // what has outlived that keeps it.
  if (FullFrame* ancestor = bypass_ended(full_frame))
    ancestor->links.fetch_add(1, std::memory_order_relaxed);
  full_frame.ended.store(true, std::memory_order_release);
  return true;
}

void free_or_keep(Worker& worker, FullFrame& full_frame) {
  XOMP_ASSERT(full_frame.owner == &worker && full_frame.ended.load(std::memory_order_relaxed));
  sweep(worker, full_frame);
  if (childless(full_frame))
    return unlink(worker, full_frame);
  // A worker from which others steal makes none itself, and would not look for those that its
  // thieves have made. A look costs as much as it leaves there, so it is paid for by as many.
  if (worker.keeps_before_sweep == 0)
    worker.keeps_before_sweep = 8 + sweep_ended(worker);
  --worker.keeps_before_sweep;
  full_frame.next = worker.ended_with_running;
  worker.ended_with_running = &full_frame;
}

void trim(Worker& worker) {
  constexpr int kKept = 8;
  if (worker.policy->trim)
    worker.policy->trim(worker);
  sweep_ended(worker);
  if (worker.bypassed)
    release_bypassed(worker);
  FullFrame** link = &worker.free_full_frames;
  for (int n = 0; *link && n < kKept; ++n)
    link = &(*link)->next;
  while (FullFrame* full_frame = *link) {
    *link = full_frame->next;
    XOMP_ASSERT(worker.kept_full_frames > 0);
    --worker.kept_full_frames;
    sys::destroy(full_frame);
  }
  worker.heap.trim();
  worker.blocks.empty();
  trim_stack(worker);
}

void free_all_full_frames(Worker& worker) {
  FullFrame* unlinked = nullptr;
  for (FullFrame** list : {&worker.ended_with_running, &worker.to_free, &worker.ended_with_ready}) {
    while (FullFrame* full_frame = *list) {
      *list = full_frame->next;
      // Finished children that a queue still named.
      for (ChildList* each :
           {&full_frame->children, &full_frame->away, &full_frame->waiting, &full_frame->spent}) {
        while (DeferredTask* task = each->first) {
          each->unlink(&each->first);
          free_child(worker, *full_frame, *task);
        }
      }
      unlink(*full_frame, unlinked);
    }
  }
  do
    free_all_of(worker, unlinked);
  while ((unlinked = take_bypassed(worker)));
  while (FullFrame* full_frame = worker.free_full_frames) {
    worker.free_full_frames = full_frame->next;
    sys::destroy(full_frame);
  }
}

bool descends(const FullFrame& from, const FullFrame& scope) {
  if (from.depth <= scope.depth)
    return &from == &scope;
  Climb climb(*self);
  const FullFrame* full_frame = &from;
  do {
    const FullFrame* jump = full_frame->jump;
    bool far = jump != full_frame && jump->depth >= scope.depth;
    full_frame = far ? jump : next_upwards(*full_frame);
  } while (full_frame && full_frame->depth > scope.depth);
  return full_frame == &scope;
}

} // namespace xomp
