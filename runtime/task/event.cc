// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of events: chunks that double in size and stay until the process ends, so its size is
// the largest number of events that were open at once. One lock: a detachable task waits for
// something outside the program's tasks, which costs more than this.
#include "task/event.h"

#include <bit>
#include <utility>

#include "sys/assert.h"
#include "sys/brief_lock.h"
#include "sys/memory.h"
#include "task/worker.h"

namespace xomp {
namespace {

constexpr int kHalf = sizeof(EventHandle) * 4; // bits of the slot; above them its number of uses
constexpr uint32_t kFirstChunk = 64;
constexpr uint32_t kNone = ~uint32_t{0};

struct EventSlot {
  DeferredTask* task; ///< null: free
  uint32_t uses;      ///< never 0 in a handle
  uint32_t next_free;
};

constinit sys::BriefLock lock;
constinit EventSlot* chunks[kHalf] = {}; // chunk c has kFirstChunk << c places
constinit uint32_t used = 0;             // places that were used at all
constinit uint32_t free_list = kNone;

struct Position {
  int chunk;
  uint32_t offset;
};

Position position_of(uint32_t index) {
  uint32_t first = index / kFirstChunk + 1; // 1; 2, 3; 4, 5, 6, 7; ...
  int chunk = static_cast<int>(std::bit_width(first)) - 1;
  return {chunk, index - ((uint32_t{1} << chunk) - 1) * kFirstChunk};
}

/// The slot that some handle names; null when no event ever had it.
EventSlot* find(uint32_t index) {
  Position at = position_of(index);
  return chunks[at.chunk] ? &chunks[at.chunk][at.offset] : nullptr;
}

uint32_t take_free_slot() {
  if (free_list == kNone) {
    Position at = position_of(used);
    if (!chunks[at.chunk])
      chunks[at.chunk] = static_cast<EventSlot*>(
          sys::allocate_zeroed(sizeof(EventSlot) * kFirstChunk << at.chunk));
    return used++;
  }
  return std::exchange(free_list, find(free_list)->next_free);
}

DeferredTask* free_slot(uint32_t index, EventSlot& slot) {
  XOMP_ASSERT(lock.is_held() && slot.task);
  slot.next_free = free_list;
  free_list = index;
  return std::exchange(slot.task, nullptr);
}

/// Of an event that has no task yet.
DeferredTask* const kUnbound = reinterpret_cast<DeferredTask*>(1);

EventHandle open_for(DeferredTask* task) {
  lock.lock();
  uint32_t index = take_free_slot();
  EventSlot& slot = *find(index);
  XOMP_ASSERT(!slot.task);
  slot.task = task;
  if (++slot.uses == 0)
    ++slot.uses;
  EventHandle handle = EventHandle{slot.uses} << kHalf | index;
  lock.unlock();
  return handle;
}

uint32_t index_of(EventHandle handle) {
  return static_cast<uint32_t>(handle & ((EventHandle{1} << kHalf) - 1));
}

} // namespace

EventHandle create_event(DeferredTask& task) {
  EventHandle handle = open_for(&task);
  task.event = index_of(handle);
  return handle;
}

EventHandle open_event() { return open_for(kUnbound); }

void bind_event(EventHandle handle, DeferredTask& task) {
  task.event = index_of(handle);
  lock.lock();
  EventSlot& slot = *find(task.event);
  XOMP_ASSERT(slot.task == kUnbound);
  slot.task = &task;
  lock.unlock();
}

void close_event(EventHandle handle) {
  lock.lock();
  free_slot(index_of(handle), *find(index_of(handle)));
  lock.unlock();
}

DeferredTask* take_event(EventHandle handle) {
  uint32_t index = index_of(handle);
  DeferredTask* task = nullptr;
  lock.lock();
  EventSlot* slot = find(index);
  if (slot && slot->task && slot->task != kUnbound && slot->uses == handle >> kHalf)
    task = free_slot(index, *slot);
  lock.unlock();
  return task;
}

bool was_event(EventHandle handle) {
  auto uses = static_cast<uint32_t>(handle >> kHalf);
  lock.lock();
  EventSlot* slot = find(index_of(handle));
  bool had = slot && uses && uses <= slot->uses;
  lock.unlock();
  return had;
}

bool withdraw_event(DeferredTask& task) {
  lock.lock();
  EventSlot& slot = *find(task.event);
  bool open = slot.task == &task;
  if (open)
    free_slot(task.event, slot);
  lock.unlock();
  return open;
}

int open_events(const TaskTeam& team) {
  if (!lock.try_lock())
    return -1; // perhaps it is the thread that the signal has interrupted that holds the lock
  int count = 0;
  for (uint32_t index = 0; index < used; ++index) {
    const DeferredTask* task = find(index)->task;
    count += task && task != kUnbound && task->parent->owner->task_team == &team;
  }
  lock.unlock();
  return count;
}

void repair_events_after_fork() {
  lock.free_after_fork();
  free_list = kNone; // the only thing that half a change could have damaged
}

} // namespace xomp
