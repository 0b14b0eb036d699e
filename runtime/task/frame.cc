// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "task/frame.h"

#include "sys/assert.h"
#include "sys/delay.h"
#include "sys/headroom.h"
#include "sys/memory.h"
#include "sys/stack.h"
#include "task/ancestry.h"
#include "task/children.h"
#include "task/create.h"
#include "task/environment.h"
#include "task/full_frame.h"
#include "task/in_order.h"
#include "task/run.h"

namespace xomp {
namespace {

/// So many bytes has a thread's stack, as far as the calling one can tell.
std::size_t own_stack_bytes(const Worker& worker) {
  constexpr std::size_t kUnknown = std::size_t{8} << 20;
  uintptr_t sp = sys::stack_pointer();
  return worker.stack_limit && sp > worker.stack_limit ? 2 * (sp - worker.stack_limit) : kUnknown;
}

/// Slots for a worker whose thread has a stack of so many bytes: as many frames as fit onto that,
/// and the tasks that wait. Memory is touched when it is used.
std::size_t slots_for(const Worker& worker, std::size_t stack_bytes) {
  constexpr std::size_t kLeast = std::size_t{1} << 16, kMost = std::size_t{128} << 20;
  constexpr std::size_t kOfFrame = 128; // bytes, of the program's function and the entry point
  std::size_t bytes = std::clamp(stack_bytes, kLeast, kMost);
  if (sys::addresses_are_limited())
    return slots_where_limited(bytes);
  return kSlotsForEachFrame *
         std::max(bytes / kOfFrame, kRoomToMove * static_cast<std::size_t>(most_waiting(worker)));
}

/// For a team of the worker's size.
std::size_t fewest_slots(const Worker& worker) {
  return kSlotsForEachFrame * kRoomToMove * static_cast<std::size_t>(most_waiting(worker));
}

void give_back_reserved(Worker& worker) {
  if (Slot* memory = std::exchange(worker.reserved, nullptr))
    sys::unreserve(memory, worker.memory_slots * sizeof(Slot));
  worker.memory_slots = 0;
}

} // namespace

void root_mark(void*) {}
void guest_mark(void*) { asm volatile(""); } // another address than the other

namespace {

/// Addresses for the stacks of all workers of the team that have none, in one piece, once its first
/// task is there: threads that come for their first tasks at the same time would wait for each
/// other in the kernel. Not for the master, whose thread is the program's. By whoever holds
/// `stacks_lock`.
void reserve_for_all(const Worker& near) {
  XOMP_ASSERT(near.task_team->stacks_lock.is_held());
  std::size_t count = 0;
  for (int i = 1; i < near.count; ++i)
    count += peer_of(near, i).memory_slots == 0;
  if (count < 2 || sys::addresses_are_limited())
    return;
  constexpr std::size_t kOfPages = (std::size_t{1} << 16) / sizeof(Slot); // of the largest page
  std::size_t slots = sys::round_up(slots_for(near, near.task_team->thread_stack_bytes), kOfPages);
  auto* memory = static_cast<Slot*>(sys::reserve(slots * sizeof(Slot), count));
  for (int i = 1; memory && i < near.count; ++i) {
    Worker& worker = peer_of(near, i);
    if (worker.memory_slots > 0)
      continue;
    worker.reserved = std::exchange(memory, memory + slots);
    worker.memory_slots = slots;
  }
}

/// What is reserved for the worker; null: nothing, and it sees to itself. `memory_slots` says for
/// how many. In the lock nothing is touched: on some machines that takes long the first time.
Slot* take_reserved(Worker& worker) {
  sys::BriefLock* lock = worker.count > 1 ? &worker.task_team->stacks_lock : nullptr;
  if (lock) {
    lock->lock();
    reserve_for_all(worker);
  }
  Slot* memory = std::exchange(worker.reserved, nullptr);
  if (!memory)
    worker.memory_slots = slots_for(worker, own_stack_bytes(worker));
  if (lock)
    lock->unlock();
  return memory;
}

} // namespace

bool lay_out_stack(Worker& worker) {
  SplitStack& stack = worker.stack;
  if (stack.first)
    return false;
  // Not what is current: that may be the environment of the task for which there is to be room.
  if (!root_of(worker.ground).env)
    root_of(worker.ground).env = worker.env;
  void* memory = take_reserved(worker);
  std::size_t slots = worker.memory_slots;
  if (!memory)
    memory = sys::reserve(slots * sizeof(Slot));
  constexpr std::size_t kFew = 512;
  // Under a limit on addresses.
  while (!memory && slots >= 2 * kFew)
    memory = sys::reserve((slots /= 2) * sizeof(Slot));
  if (!memory) {
    slots = kFew;
    memory = sys::try_allocate(slots * sizeof(Slot), alignof(Slot)); // what is left of the heap
    if (!memory)
      return false;
    stack.allocated = true;
  }
  stack.attach(static_cast<Slot*>(memory), slots);
  worker.task_team->expect_tasks();
  return true;
}

void open_stack(Worker& worker) {
  SplitStack& stack = worker.stack;
  if (sys::addresses_are_limited())
    return;
  // For a larger team than it was made for.
  std::size_t fewest = fewest_slots(worker);
  if (stack.first && static_cast<std::size_t>(stack.last - stack.first) < fewest &&
      stack.top() == stack.first) [[unlikely]]
    free_stack(worker);
  if (worker.reserved && worker.memory_slots < fewest)
    give_back_reserved(worker);
}

void trim_stack(Worker& worker) {
  constexpr std::size_t kKept = std::size_t{1} << 16;
  const SplitStack& stack = worker.stack;
  auto bytes = static_cast<std::size_t>(stack.last - stack.first) * sizeof(Slot);
  if (stack.first && stack.top() == stack.first && bytes > kKept && !stack.allocated)
    sys::discard_pages(reinterpret_cast<char*>(stack.first) + kKept, bytes - kKept);
}

void free_stack(Worker& worker) {
  SplitStack& stack = worker.stack;
  give_back_reserved(worker);
  if (!stack.first)
    return;
  uintptr_t link = stack.first->link.load(std::memory_order_relaxed);
  worker.ground.link.store(link, std::memory_order_relaxed);
  Slot* memory = stack.first;
  auto bytes = static_cast<std::size_t>(stack.last - memory) * sizeof(Slot);
  stack.leave(&worker.ground);
  if (std::exchange(stack.allocated, false))
    return sys::release(memory);
  sys::unreserve(memory, bytes);
}

bool has_own_children(Worker& worker) {
  SplitStack& stack = worker.stack;
  if (!has_own(worker))
    return false;
  if (Slot::is_child(stack.top()->link.load(std::memory_order_relaxed)))
    return true;
  stack.lock(); // a thief may be in the middle of taking one
  bool child = stack.has_child(stack.current);
  stack.unlock();
  return child;
}

Slot* claim_own(Worker& worker, const Slot* floor) {
  SplitStack& stack = worker.stack;
  XOMP_ASSERT(stack.current <= floor && floor <= stack.top());
  for (;;) {
    Slot* slot = stack.top();
    if (slot == floor)
      return nullptr;
    // Relaxed: if it is an orphan, this worker made it one.
    uintptr_t link = slot->link.load(std::memory_order_relaxed);
    if (link == Slot::kOrdered) [[unlikely]] {
      move_ordered_to_heap(worker);
      continue;
    }
    if (Slot::is_pending(link) && stack.claim(slot, link))
      return slot;
    if (stack.claim_slowly(slot))
      return slot;
  }
}

Slot* claim_top_child(Worker& worker) {
  SplitStack& stack = worker.stack;
  while (has_own(worker)) {
    Slot* slot = stack.top();
    // Relaxed: as in `claim_own`.
    uintptr_t link = slot->link.load(std::memory_order_relaxed);
    if (link == Slot::kOrphan || link == Slot::kOrdered)
      return nullptr;
    if (stack.claim(slot) || stack.claim_slowly(slot))
      return slot;
  }
  return nullptr;
}

Slot* claim_own_child(Worker& worker) {
  if (Slot* slot = claim_top_child(worker))
    return slot;
  if (worker.stack.has_ordered())
    move_ordered_to_heap(worker);
  if (!has_own_children(worker))
    return nullptr;
  if (!worker.policy->has_room(worker)) // as many wait as may
    return claim_own(worker);
  move_to_heap(worker);
  return nullptr;
}

void bound_left(Worker& worker) {
  // A walk past so many costs as much as a few tasks.
  constexpr int64_t kFewLeft = 64;
  if (worker.stack.top() - worker.stack.current <= kFewLeft)
    return;
  if (worker.policy->has_room(worker))
    return move_to_heap(worker);
  while (Slot* own = claim_own(worker)) // as many wait as may
    run_own(worker, own);
}

namespace {

/// What lies above `outer` stays where it is, but for what `frame` left behind.
void finish_frame(Worker& worker, Slot* frame, Slot* outer) {
  SplitStack& stack = worker.stack;
  if (stack.has_ordered())
    move_ordered_to_heap(worker); // among other tasks' children they would have no order
  FullFrame* full_frame = current_full_frame(worker);
  // Its own environment ends with it. Before the children are run that nobody else finds: these
  // become such ones.
  bool had_own_env = full_frame && full_frame->saved_env;
  if (had_own_env && has_own(worker))
    move_to_heap(worker);
  if (full_frame && (full_frame->left_ready || !all_is_found(worker))) {
    while (DeferredTask* child = claim_left(worker, *full_frame))
      launch(worker, *child);
  }
  if (had_own_env)
    worker.env = full_frame->saved_env;
  // Now nobody can make it one any more.
  full_frame = reinterpret_cast<FullFrame*>(stack.close(frame));
  XOMP_ASSERT(!full_frame || full_frame->owner == &worker);
  stack.current = outer;
  if (full_frame && leave_children(worker, *full_frame))
    free_or_keep(worker, *full_frame);
}

} // namespace

bool run_in_order(Worker& worker) {
  SplitStack& stack = worker.stack;
  XOMP_ASSERT(self == &worker && has_own(worker));
  for (Slot *first = stack.current + 1, *slot = first;; first = slot) {
    void (*body)(void*) = nullptr;
    do {
      // One frame on top serves one task after the other.
      Slot* outer;
      Slot* frame = enter_frame(worker, nullptr, outer);
      if (!frame)
        break;
      while (slot != frame && (body = stack.take_below_top(slot))) {
        body(slot->arguments);
        ++slot;
        // Whether it is private as well is asked for the next task, which lies below.
        if (stack.top() != frame || frame->link.load(std::memory_order_relaxed) != 0) [[unlikely]]
          break;
      }
      // Not `leave_frame`: what lies above `outer` must stay in its place.
      if (is_bare(stack, frame, stack.top() == frame)) [[likely]] {
        stack.current = outer;
        stack.pop(frame);
      } else {
        finish_frame(worker, frame, outer);
      }
    } while (body && slot <= stack.top());
    // What thieves are taking now they count before they give the lock back: past that it is found
    // under the lock whether all is done.
    if (stack.end_taking(first, slot))
      return first == stack.current + 1;
    sys::delay();
    const Slot* stopped = slot;
    slot = SplitStack::past_orphans(slot, stack.top() + 1);
    if (slot == stopped || slot > stack.top() ||
        !Slot::is_child(slot->link.load(std::memory_order_relaxed)) || !stack.is_private(slot))
      return false;
  }
}

Slot* end_frame(Worker& worker, Slot* frame, Slot* outer) {
  finish_frame(worker, frame, outer);
  // The outer task may create nothing itself: nobody else would move what such tasks left behind
  // together. What a theft brought stays where `Guest` says.
  if (outer->body != guest_mark && is_mostly_holes(worker)) [[unlikely]] {
    worker.stack.compact(outer);
    close_fast_path(worker); // its limit was that of a higher top
  }
  return worker.stack.top();
}

namespace {

/// Makes children in the heap of tasks that lie on the stack, oldest first, and offers them; to
/// other workers once it has all. `take(move)` calls `move(slot, parent)` for each.
template <class Take> void move_slots(Worker& worker, Take take) {
  DeferredTask *oldest = nullptr, **end = &oldest;
  take([&](Slot& slot, FullFrame& parent) {
    // Relaxed: as in `claim_own`.
    bool ordered = slot.link.load(std::memory_order_relaxed) == Slot::kOrdered;
    DeferredTask& task = new_child(worker, parent, Slot::kRoom, Slot::kAlign,
                                   ordered ? InOrder::of(slot.arguments).dependences() : 0);
    task.body = slot.body;
    if (settings.cancellation)
      task.when_discarded = WhenDiscarded::kRun; // `Guarded` knows what is to be done
    std::memcpy(task.payload, slot.arguments, Slot::kRoom);
    if (worker.count == 1)
      return offer_moved(worker, task, !ordered || enter_from_order(task));
    *end = &task;
    end = &task.next_ready;
  });
  while (oldest) {
    DeferredTask& task = *std::exchange(oldest, std::exchange(oldest->next_ready, nullptr));
    offer_moved(worker, task, true);
  }
}

} // namespace

void move_to_heap(Worker& worker) {
  FullFrame& full_frame = own_full_frame(worker);
  XOMP_ASSERT(!full_frame.ended.load(std::memory_order_relaxed));
  bool apart = all_is_found(worker) && worker.policy->has_room(worker); // else too many would wait
  FullFrame* ended = nullptr;
  move_slots(worker, [&](auto move) {
    worker.stack.empty(worker.stack.current, [&](Slot& slot) {
      FullFrame* parent = &full_frame;
      // Relaxed: as in `claim_own`.
      if (slot.link.load(std::memory_order_relaxed) == Slot::kOrphan && apart)
        parent = ended ? ended : ended = &ended_full_frame(worker, full_frame);
      move(slot, *parent);
    });
  });
  if (ended)
    free_or_keep(worker, *ended);
}

void move_ordered_to_heap(Worker& worker) {
  XOMP_ASSERT(worker.count == 1);
  FullFrame& full_frame = own_full_frame(worker);
  move_slots(worker, [&](auto move) {
    worker.stack.empty_ordered([&](Slot& slot) { move(slot, full_frame); });
  });
}

FullFrame* nearest_full_frame(Slot* frame) {
  for (;; frame = SplitStack::frame_below(frame)) {
    if (uintptr_t link = frame->link.load(std::memory_order_acquire))
      return reinterpret_cast<FullFrame*>(link);
    if (is_root(*frame)) {
      FullFrame* parent = root_of(*frame).parent;
      return parent ? nearest_waiting(*parent) : nullptr;
    }
  }
}

Env* env_at(Slot* frame) {
  for (;; frame = SplitStack::frame_below(frame)) {
    if (uintptr_t link = frame->link.load(std::memory_order_acquire))
      return reinterpret_cast<FullFrame*>(link)->env;
    if (is_root(*frame))
      return root_of(*frame).env;
  }
}

} // namespace xomp
