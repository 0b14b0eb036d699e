// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "task/full_frame.h"

#include <algorithm>
#include <utility>

#include "sys/assert.h"
#include "sys/memory.h"
#include "task/ancestry.h"
#include "task/children.h"
#include "task/depend.h"
#include "task/environment.h"
#include "task/frame.h"
#include "task/sweep_due.h"

namespace xomp {
namespace {

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

} // namespace

void unlink(Worker& worker, FullFrame& full_frame) {
  FullFrame* unlinked = nullptr;
  unlink(full_frame, unlinked);
  free_unlinked(worker, unlinked);
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
} // namespace

bool drain_ended(Worker& worker) {
  while (FullFrame* full_frame = worker.ended_with_running) {
    if (!drain_children(worker, *full_frame))
      return false;
    XOMP_ASSERT(full_frame->ended.load(std::memory_order_relaxed));
    worker.ended_with_running = full_frame->next;
    sweep(worker, *full_frame);
    if (childless(*full_frame)) {
      unlink(worker, *full_frame);
    } else {
      full_frame->next = worker.to_free;
      worker.to_free = full_frame;
    }
  }
  return true;
}

uint32_t sweep_ended(Worker& worker) {
  return sweep_full_frames(worker, worker.ended_with_running) +
         sweep_full_frames(worker, worker.to_free);
}

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
      free_children(worker, *full_frame); // a queue may still name some
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

} // namespace xomp
