// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "task/overflow.h"

#include <algorithm>

#include "sys/assert.h"

namespace xomp {
namespace {

/// Queued tasks that waiting workers may move here: their queues bound the number of tasks only
/// while they stay in them.
constexpr uint32_t kMostKept = 256;

/// Takes stale tasks off the list, and the first that `pick` picks.
template <class Pick> DeferredTask* search(OverflowList& overflow, Pick pick) {
  XOMP_ASSERT(overflow.lock.is_held());
  DeferredTask* newest = overflow.newest.load(std::memory_order_relaxed);
  DeferredTask* found = claim_listed<&DeferredTask::next_posted, kInQueue>(newest, pick, [&] {
    XOMP_ASSERT(overflow.count > 0);
    --overflow.count;
  });
  overflow.newest.store(newest, std::memory_order_relaxed);
  return found;
}

/// Takes all stale tasks off the list. While everybody is busy nobody searches it, and its tasks
/// may be run by their parents' workers all the same.
void clear_stale(OverflowList& overflow) {
  XOMP_ASSERT(overflow.lock.is_held());
  search(overflow, [](auto&) { return false; });
}

void add(OverflowList& overflow, DeferredTask& task) {
  XOMP_ASSERT(overflow.lock.is_held() && task.names(kInQueue));
  // Paid for by as many posts as tasks are left.
  if (overflow.count >= overflow.clear_at) {
    clear_stale(overflow);
    overflow.clear_at = std::max(overflow.count * 2, kMostKept);
  }
  // Relaxed: the list is read under the lock only. Outside of it a look at `version` and `newest`
  // tells no more than whether a search is worth it, and a bell is rung after the post.
  task.next_posted = overflow.newest.load(std::memory_order_relaxed);
  overflow.newest.store(&task, std::memory_order_relaxed);
  overflow.version.store(overflow.version.load(std::memory_order_relaxed) + 1,
                         std::memory_order_relaxed);
  ++overflow.count;
}

} // namespace

void post(TaskTeam& team, DeferredTask& task) {
  OverflowList& overflow = team.overflow;
  overflow.lock.lock();
  add(overflow, task);
  overflow.lock.unlock();
}

bool post_kept(TaskTeam& team, DeferredTask& task) {
  OverflowList& overflow = team.overflow;
  overflow.lock.lock();
  // Nobody searches a overflow list on which nothing is new, so stale entries would be in the way
  // for good.
  if (overflow.count >= kMostKept)
    clear_stale(overflow);
  bool room = overflow.count < kMostKept;
  if (room)
    add(overflow, task);
  else
    overflow.refused = true;
  overflow.lock.unlock();
  return room;
}

DeferredTask* claim_posted(Worker& worker, Search& looks) {
  OverflowList& overflow = worker.task_team->overflow;
  if (!overflow.newest.load(std::memory_order_relaxed) ||
      overflow.version.load(std::memory_order_relaxed) == looks.overflow_seen || !begun(worker))
    return nullptr;
  overflow.lock.lock();
  // Again, now that what is on the overflow list was acquired: it may be of the next region. A
  // worker that ran such a task before its own implicit task would come to none of those that it
  // waits for there, as each of them asks whether it has begun.
  if (!begun(worker)) {
    overflow.lock.unlock();
    return nullptr;
  }
  uint64_t version = overflow.version.load(std::memory_order_relaxed);
  DeferredTask* task = search(overflow, [&](auto& each) { return allows(looks, each); });
  bool invite = overflow.refused && overflow.count < kMostKept;
  if (invite)
    overflow.refused = false;
  overflow.lock.unlock();
  if (invite)
    ring_others(worker);
  if (!task)
    looks.overflow_seen = version;
  return task;
}

void clear_overflow(OverflowList& overflow) {
  overflow.lock.lock();
  clear_stale(overflow);
  overflow.lock.unlock();
}

} // namespace xomp
