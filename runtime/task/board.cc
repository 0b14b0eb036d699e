// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "task/board.h"

#include <algorithm>

#include "sys/assert.h"
#include "sys/delay.h"
#include "task/family.h"

namespace xomp {
namespace {

/// Queued tasks that waiting workers may move here: their queues bound the number of tasks only
/// while they stay in them.
constexpr uint32_t kMostKept = 256;

/// Takes all stale tasks off the list. While everybody is busy nobody searches the board, and its
/// tasks may be run by their parents' workers all the same.
void clear_stale(Board& board) {
  XOMP_ASSERT(board.lock.is_held());
  DeferredTask* newest = board.newest.load(std::memory_order_relaxed);
  DeferredTask** link = &newest;
  while (DeferredTask* task = *link) {
    if (task->phase(std::memory_order_relaxed) == kReady) {
      link = &task->next_posted;
      continue;
    }
    *link = task->next_posted;
    XOMP_ASSERT(board.count > 0 && task->names(kAdvert));
    --board.count;
    // Release: the owner may free the task after this.
    task->state.fetch_and(~uint32_t{kAdvert}, std::memory_order_release);
  }
  board.newest.store(newest, std::memory_order_relaxed);
}

void add(Board& board, DeferredTask& task) {
  XOMP_ASSERT(board.lock.is_held() && task.names(kAdvert));
  // Paid for by as many posts as tasks are left.
  if (board.count >= board.clear_at) {
    clear_stale(board);
    board.clear_at = std::max(board.count * 2, kMostKept);
  }
  // Relaxed: the list is read under the lock only. Outside of it a look at `version` and `newest`
  // tells no more than whether a search is worth it, and a bell is rung after the post.
  task.next_posted = board.newest.load(std::memory_order_relaxed);
  board.newest.store(&task, std::memory_order_relaxed);
  board.version.store(board.version.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  ++board.count;
}

/// Takes stale tasks off the list, and the first that the worker may start.
DeferredTask* search(Board& board, const Scope& scope) {
  XOMP_ASSERT(board.lock.is_held());
  DeferredTask* newest = board.newest.load(std::memory_order_relaxed);
  DeferredTask* found = nullptr;
  DeferredTask** link = &newest;
  while (DeferredTask* task = *link) {
    bool ready = task->phase(std::memory_order_acquire) == kReady;
    if (ready && !allows(scope, *task)) {
      link = &task->next_posted;
      continue;
    }
    *link = task->next_posted;
    XOMP_ASSERT(board.count > 0 && task->names(kAdvert));
    --board.count;
    sys::delay();
    if (ready && try_claim(*task, kAdvert)) {
      found = task;
      break;
    }
    // Somebody else was faster. Release: the owner may free the task after this.
    task->state.fetch_and(~uint32_t{kAdvert}, std::memory_order_release);
  }
  board.newest.store(newest, std::memory_order_relaxed);
  return found;
}

} // namespace

void post(TaskTeam& team, DeferredTask& task) {
  Board& board = team.board;
  board.lock.lock();
  add(board, task);
  board.lock.unlock();
}

bool post_kept(TaskTeam& team, DeferredTask& task) {
  Board& board = team.board;
  board.lock.lock();
  // Nobody searches a board on which nothing is new, so stale entries would be in the way for good.
  if (board.count >= kMostKept)
    clear_stale(board);
  bool room = board.count < kMostKept;
  if (room)
    add(board, task);
  else
    board.refused = true;
  board.lock.unlock();
  return room;
}

DeferredTask* claim_posted(Worker& worker, const Scope& scope, uint64_t& seen) {
  Board& board = worker.tasks->board;
  if (!board.newest.load(std::memory_order_relaxed) ||
      board.version.load(std::memory_order_relaxed) == seen || !begun(worker))
    return nullptr;
  board.lock.lock();
  // Again, now that what is on the board was acquired: it may be of the next region. A worker that
  // ran such a task before its own implicit task would come to none of those that it waits for
  // there, as each of them asks whether it has begun.
  if (!begun(worker)) {
    board.lock.unlock();
    return nullptr;
  }
  uint64_t version = board.version.load(std::memory_order_relaxed);
  DeferredTask* task = search(board, scope);
  bool invite = board.refused && board.count < kMostKept;
  if (invite)
    board.refused = false;
  board.lock.unlock();
  if (invite)
    ring_all(worker, &worker);
  if (!task)
    seen = version;
  return task;
}

void clear_board(Board& board) {
  board.lock.lock();
  clear_stale(board);
  board.lock.unlock();
}

void ring_all(const Worker& any, const Worker* but) {
  for (int i = 0; i < any.count; ++i) {
    if (any.workers[i] != but)
      any.workers[i]->bell.ring();
  }
}

} // namespace xomp
