// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "task/family.h"

#include "sys/assert.h"
#include "sys/delay.h"
#include "sys/memory.h"
#include "sys/report.h"
#include "task/depend.h"
#include "task/environment.h"
#include "task/frame.h"
#include "trace/stream.h"

namespace xomp {
namespace {

/// Sets `depth`, and `jump` so that any ancestor is a logarithmic number of steps away: jumps have
/// the lengths of a skew-binary number's digits (Myers, "An applicative random-access stack",
/// 1983).
void point_upwards(Family& family) {
  Family* above = family.ancestor;
  if (!above) {
    family.jump = &family;
    return;
  }
  family.depth = above->depth + 1;
  XOMP_ASSERT(above->jump && above->jump->depth <= above->depth);
  bool alike = above->depth - above->jump->depth == above->jump->depth - above->jump->jump->depth;
  family.jump = alike ? above->jump->jump : above;
}

/// How often memory may be taken afresh before the next look for what has become free. A look costs
/// as much as it leaves behind, so it is paid for by as many that need memory. Those that take what
/// it freed count too: if each look were followed by fresh memory, what is kept would grow with the
/// square root of all that was ever needed. So at most twice as much is kept as was in use at once.
uint32_t credit_after(uint32_t left, uint32_t freed) {
  uint32_t cost = 8 + left;
  return cost > freed ? cost - freed : 0;
}

Family* fresh_family(Worker& worker) {
  if (!worker.free_families) {
    if (worker.family_credit == 0) {
      uint32_t before = worker.freed_families;
      uint32_t left = sweep_orphans(worker);
      worker.family_credit = credit_after(left, worker.freed_families - before);
    } else {
      --worker.family_credit;
    }
  }
  Family* family = worker.free_families;
  if (!family)
    return sys::create<Family>();
  worker.free_families = family->next;
  XOMP_ASSERT(worker.kept_families > 0);
  --worker.kept_families;
  return ::new (family) Family();
}

/// Families go from thieves to those they steal from, so what is kept is bounded.
constexpr uint32_t kMostFree = 256;

/// Nobody refers to it: it has no children, no theft, and is nobody's ancestor.
bool is_unused(const Family& family) {
  return family.live == 0 && family.links.load(std::memory_order_relaxed) == 0 &&
         family.stolen.load(std::memory_order_relaxed) == 0;
}

void free_family(Worker& worker, Family& family) {
  XOMP_ASSERT(is_unused(family));
  XOMP_ASSERT(!family.holds_link || family.ancestor->links.load(std::memory_order_relaxed) > 0);
  // Release: whoever frees the ancestor sees that nothing below looks at it any more.
  if (family.holds_link)
    family.ancestor->links.fetch_sub(1, std::memory_order_release);
  ++worker.freed_families;
  if (worker.kept_families == kMostFree)
    return sys::destroy(&family);
  family.next = worker.free_families;
  worker.free_families = &family;
  ++worker.kept_families;
}

bool can_free(const DeferredTask& task) {
  // Acquire pairs with the release in `complete` and with the give-up of adverts and foster
  // pointers.
  return task.state.load(std::memory_order_acquire) == kDone && task.table_refs == 0;
}

void free_child(Worker& worker, Family& family, DeferredTask& task) {
  XOMP_ASSERT(task.phase(std::memory_order_relaxed) == kDone && task.home == &family);
  XOMP_ASSERT(family.live > 0);
  if (task.exclusion || task.edges_apart) [[unlikely]]
    free_edges(task);
  --family.live;
  ++worker.freed_children;
  std::size_t bytes = task.units * Heap::kAlign;
  task.~DeferredTask();
  worker.heap.free(&task, bytes);
}

bool empty(const Family& family) {
  return family.live == 0 && family.links.load(std::memory_order_acquire) == 0;
}

} // namespace

/// Nobody waits in a task that has ended, so its family need not be climbed through, nor be kept
/// for that: a chain of tasks, each creating the next, would keep all of them.
Family* nearest_waiting(Family& home) {
  Family* family = &home;
  // Acquire: a parted family has its link, which keeps the next one; the child that runs now keeps
  // the first.
  while (family && family->parted.load(std::memory_order_acquire))
    family = family->ancestor;
  return family;
}

Family& family_at(Slot* frame, Worker& owner, Worker& maker) {
  // Acquire: somebody else may have made it.
  uintptr_t link = frame->link.load(std::memory_order_acquire);
  if (link)
    return *reinterpret_cast<Family*>(link);
  XOMP_ASSERT(&owner == &maker || owner.stack.is_locked());
  Family* family = fresh_family(maker);
  family->owner = &owner;
  if (!is_root(*frame))
    family->ancestor = nearest_family(SplitStack::frame_below(frame));
  else if (Family* home = root_of(*frame).home)
    family->ancestor = nearest_waiting(*home);
  family->env = &owner == &maker ? owner.env : env_at(frame);
  point_upwards(*family);
  // Acquire-release: who finds it reads what is above; if somebody else was faster, so do we.
  if (frame->link.compare_exchange_strong(link, reinterpret_cast<uintptr_t>(family),
                                          std::memory_order_acq_rel, std::memory_order_acquire))
    return *family;
  free_family(maker, *family);
  return *reinterpret_cast<Family*>(link);
}

Family& own_family(Worker& worker) { return family_at(worker.stack.current, worker, worker); }

void make_waits_told(Worker& worker) {
  if (trace::listening(trace::kTool))
    own_family(worker);
}

DeferredTask& new_child(Worker& worker, Family& family, std::size_t size, std::size_t align,
                        std::size_t edges) {
  XOMP_ASSERT(self == &worker && family.owner == &worker);
  bool traced = worker.track;
  std::size_t offset = sizeof(DeferredTask) + (traced ? sizeof(trace::TaskTrace) : 0);
  if (align > alignof(void*))
    offset = (offset + align - 1) & ~(align - 1);
  // An argument block that wants more than other blocks gets slack.
  std::size_t slack = align > Heap::kAlign ? align : 0;
  std::size_t bytes = Heap::round_up(offset + size + slack + edges * sizeof(DependEdge));
  if (bytes / Heap::kAlign > UINT32_MAX) [[unlikely]]
    sys::fatal("a task's argument block of %zu bytes is too large", size);
  void* memory = worker.heap.reuse(bytes);
  if (!memory) {
    if (worker.sweep_credit == 0) {
      uint32_t before = worker.freed_children;
      uint32_t left = sweep(worker, family) + sweep_orphans(worker);
      worker.sweep_credit = credit_after(left, worker.freed_children - before);
    } else {
      --worker.sweep_credit;
    }
    memory = worker.heap.allocate(bytes);
  }
  auto* task = ::new (memory) DeferredTask();
  task->state.store(kWaiting, std::memory_order_relaxed);
  task->units = static_cast<uint32_t>(bytes / Heap::kAlign);
  task->home = &family;
  if (traced) {
    ::new (task + 1) trace::TaskTrace;
    task->traced = true;
  }
  auto address = reinterpret_cast<uintptr_t>(memory) + offset;
  if (slack)
    address = (address + align - 1) & ~(align - 1);
  task->payload = reinterpret_cast<void*>(address);
  task->edges = reinterpret_cast<DependEdge*>(static_cast<char*>(memory) + bytes) - edges;
  ++family.live;
  return *task;
}

bool try_claim(DeferredTask& task, uint32_t held) {
  XOMP_ASSERT((held & ~uint32_t{kAdvert | kFoster}) == 0 && (!held || task.names(held)));
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

void add_ready(Family& family, DeferredTask& task) {
  XOMP_ASSERT(task.home == &family);
  family.children.push_front(task);
}

void add_away(Family& family, DeferredTask& task) {
  XOMP_ASSERT(task.home == &family);
  task.away = true;
  family.away.push_back(task);
}

void add_waiting(Family& family, DeferredTask& task) {
  XOMP_ASSERT(task.home == &family);
  family.waiting.push_back(task);
  ++family.waiting_count;
}

namespace {

/// Takes a task that is done off its list: freed, or kept until nobody names it any more.
void retire(Worker& worker, Family& family, ChildList& list, DeferredTask** link) {
  DeferredTask& task = **link;
  XOMP_ASSERT(task.phase(std::memory_order_relaxed) == kDone);
  XOMP_ASSERT(&list != &family.waiting || family.waiting_count > 0);
  list.unlink(link);
  if (&list == &family.waiting)
    --family.waiting_count;
  if (can_free(task))
    free_child(worker, family, task);
  else
    family.spent.push_front(task);
}

bool drained(Worker& worker, Family& family, ChildList& list) {
  while (list.first) {
    if (list.first->phase(std::memory_order_acquire) != kDone)
      return false;
    retire(worker, family, list, &list.first);
  }
  return true;
}

/// Claims a child for its parent's worker, with its advert if that is easily had: the task is freed
/// the sooner, and nobody comes to look at a stale one.
bool claim_own(Worker& worker, DeferredTask& task) {
  // Relaxed: an advert is entered by this worker, before the task can be claimed.
  bool queued = task.state.load(std::memory_order_relaxed) & kAdvert;
  if (!queued || !worker.policy->retract || !worker.policy->retract(worker, &task))
    return try_claim(task, 0);
  if (try_claim(task, kAdvert))
    return true;
  XOMP_ASSERT(task.names(kAdvert));
  // Somebody else was faster. Relaxed: only this worker frees it.
  task.state.fetch_and(~uint32_t{kAdvert}, std::memory_order_relaxed);
  return false;
}

/// The first ready task among the first `steps` unfinished ones.
DeferredTask* claim_first(Worker& worker, Family& family, ChildList& list, uint32_t steps) {
  DeferredTask** link = &list.first;
  while (DeferredTask* task = *link) {
    uint32_t phase = task->phase(std::memory_order_acquire);
    if (phase == kDone) {
      retire(worker, family, list, link);
      continue;
    }
    if (phase == kReady && !task->elsewhere && claim_own(worker, *task))
      return task;
    if (steps-- == 0)
      return nullptr;
    link = &task->sibling;
  }
  return nullptr;
}

/// The ready child of the highest priority; the newest of several.
DeferredTask* claim_most_urgent(Family& family) {
  for (;;) {
    DeferredTask* best = nullptr;
    for (ChildList* list : {&family.children, &family.away, &family.waiting}) {
      for (DeferredTask* task = list->first; task; task = task->sibling) {
        if (task->phase(std::memory_order_relaxed) != kReady || task->elsewhere)
          continue;
        if (!best || task->priority > best->priority)
          best = task;
      }
    }
    if (!best || try_claim(*best, 0))
      return best;
  }
}

uint32_t sweep_list(Worker& worker, Family& family, ChildList& list) {
  uint32_t left = 0;
  DeferredTask** link = &list.first;
  while (DeferredTask* task = *link) {
    if (can_free(*task)) {
      retire(worker, family, list, link);
    } else {
      ++left;
      link = &task->sibling;
    }
  }
  return left;
}

/// Frees what can be freed of the families in `list`, and those that become empty. Families that
/// wait only for links do not count: what holds these may be another worker's garbage, and if each
/// swept less often because of the other's, both would grow.
uint32_t sweep_families(Worker& worker, Family*& list) {
  uint32_t left = 0;
  Family** link = &list;
  while (Family* family = *link) {
    left += sweep(worker, *family);
    if (empty(*family)) {
      *link = family->next;
      free_family(worker, *family);
    } else {
      link = &family->next;
    }
  }
  return left;
}

} // namespace

DeferredTask* claim_child(Worker& worker, Family& family, bool thorough) {
  constexpr uint32_t kMostSteps = 64;
  XOMP_ASSERT(family.owner == &worker);
  if (family.has_priorities) [[unlikely]] {
    finished(worker, family);
    return claim_most_urgent(family);
  }
  uint32_t steps = thorough ? UINT32_MAX : kMostSteps;
  if (DeferredTask* task = claim_first(worker, family, family.children, steps))
    return task;
  if (DeferredTask* task = claim_first(worker, family, family.waiting, steps))
    return task;
  return claim_first(worker, family, family.away, steps);
}

bool has_ready(const Family& family) {
  for (const ChildList* list : {&family.children, &family.away, &family.waiting}) {
    for (const DeferredTask* task = list->first; task; task = task->sibling) {
      if (task->phase(std::memory_order_relaxed) == kReady)
        return true;
    }
  }
  return false;
}

bool finished(Worker& worker, Family& family) {
  // Acquire: what the stolen ones did.
  return family.stolen.load(std::memory_order_acquire) == 0 &&
         drained(worker, family, family.children) && drained(worker, family, family.waiting) &&
         drained(worker, family, family.away);
}

bool orphans_finished(Worker& worker) {
  while (Family* family = worker.orphans) {
    if (!finished(worker, *family))
      return false;
    XOMP_ASSERT(family->parted.load(std::memory_order_relaxed));
    worker.orphans = family->next;
    sweep_list(worker, *family, family->spent);
    if (empty(*family)) {
      free_family(worker, *family);
    } else {
      family->next = worker.remains;
      worker.remains = family;
    }
  }
  return true;
}

bool too_many_wait(Worker& worker, Family& family, uint32_t limit) {
  if (family.waiting_count < limit)
    return false;
  DeferredTask** link = &family.waiting.first;
  while (DeferredTask* task = *link) {
    if (task->phase(std::memory_order_acquire) == kDone)
      retire(worker, family, family.waiting, link);
    else
      link = &task->sibling;
  }
  return family.waiting_count >= limit;
}

uint32_t sweep(Worker& worker, Family& family) {
  uint32_t left = sweep_list(worker, family, family.children);
  left += sweep_list(worker, family, family.away);
  left += sweep_list(worker, family, family.waiting);
  return left + sweep_list(worker, family, family.spent);
}

uint32_t sweep_orphans(Worker& worker) {
  return sweep_families(worker, worker.orphans) + sweep_families(worker, worker.remains);
}

bool part(Worker& worker, Family& family) {
  XOMP_ASSERT(family.owner == &worker && !family.parted.load(std::memory_order_relaxed));
  if (family.depends) {
    destroy_table(*family.depends);
    family.depends = nullptr;
  }
  if (family.env_in_use)
    release_env(family.own_env);
  sweep(worker, family);
  if (empty(family)) {
    free_family(worker, family);
    return false;
  }
  if (family.ancestor) {
    // Relaxed: the ancestor cannot go away now, its task is below on this stack or not done yet.
    family.ancestor->links.fetch_add(1, std::memory_order_relaxed);
    family.holds_link = true;
  }
  family.parted.store(true, std::memory_order_release);
  return true;
}

void settle(Worker& worker, Family& family) {
  XOMP_ASSERT(family.owner == &worker && family.parted.load(std::memory_order_relaxed));
  sweep(worker, family);
  if (empty(family)) {
    free_family(worker, family);
    return;
  }
  family.next = worker.orphans;
  worker.orphans = &family;
}

void trim(Worker& worker) {
  constexpr int kKept = 8;
  sweep_orphans(worker);
  Family** link = &worker.free_families;
  for (int n = 0; *link && n < kKept; ++n)
    link = &(*link)->next;
  while (Family* family = *link) {
    *link = family->next;
    XOMP_ASSERT(worker.kept_families > 0);
    --worker.kept_families;
    sys::destroy(family);
  }
  worker.heap.trim();
  trim_stack(worker);
}

void free_families(Worker& worker) {
  for (Family** list : {&worker.orphans, &worker.remains, &worker.adopted, &worker.free_families}) {
    while (Family* family = *list) {
      *list = family->next;
      // Finished children that a queue still named.
      for (ChildList* each : {&family->children, &family->away, &family->waiting, &family->spent}) {
        while (DeferredTask* task = each->first) {
          each->unlink(&each->first);
          free_child(worker, *family, *task);
        }
      }
      sys::destroy(family);
    }
  }
}

bool descends(const Family& from, const Family& scope) {
  // Ancestors outlive what is below them, and what is read here was set before the family was
  // found.
  const Family* family = &from;
  while (family->depth > scope.depth)
    family = family->jump->depth >= scope.depth ? family->jump : family->ancestor;
  XOMP_ASSERT(family && family->depth <= from.depth);
  return family == &scope;
}

} // namespace xomp
