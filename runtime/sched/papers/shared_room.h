// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Room in queues that several workers put into or take from: when a creator's gate is closed, and
// which worker opens it again. A gate that was closed because a queue was full is opened when the
// queue is half empty, so that many creators at a full queue do not open and close their gates for
// every task that goes.
//
// Closing:  note it, close the gate, fence, look: half empty?  then open it oneself.
// Opening:  take out, fence, look: did anybody note?           then open the gates of all.
// Of the two fences one comes first: either the closer sees the room, or the opener's look sees the
// note and its opening comes after the closing.
#pragma once
#include <algorithm>

#include "sched/policy.h"

namespace xomp {

/// Whether there are any among the workers that put into the same queues.
using ClosedGates = std::atomic<bool>;

/// Creator: there was no room. `half_empty` says whether a gate may be open.
template <class HalfEmpty>
void close_shared_gate(Port& port, ClosedGates& gates, HalfEmpty half_empty) {
  if (port.creates_slowly)
    return;
  // Relaxed: ordered by the fence in `close_gate`.
  gates.store(true, std::memory_order_relaxed);
  close_gate(port, half_empty);
}

/// Whoever took something out of a queue that is half empty now. `ports` are those of `count`
/// workers.
inline void open_shared_gates(ClosedGates& gates, Port* const* ports, int count) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (!gates.load(std::memory_order_relaxed)) [[likely]]
    return;
  gates.store(false, std::memory_order_relaxed);
  for (int i = 0; i < count; ++i)
    open_gate(*ports[i]);
}

/// Says what the judge says; `kept` becomes true when a task is left where it is.
inline auto noting_kept(const Judge& judge, bool& kept) {
  return [&judge, &kept](DeferredTask* task) {
    Verdict choice = judge(task);
    kept |= choice == Verdict::kKeep;
    return choice;
  };
}

/// How often a worker looks into queues that hold nothing for it: a worker that waits inside a task
/// may start few of the tasks there, and would keep a lock from those that may.
class LookLess {
public:
  bool skips(const Judge& judge) {
    if (judge.thorough || left == 0)
      return false;
    --left;
    return true;
  }
  void fruitless() { left = pause = pause < kLongest ? pause * 2 + 1 : kLongest; }
  void found() { left = pause = 0; }

private:
  static constexpr uint32_t kLongest = 63;
  uint32_t pause = 0, left = 0;
};

/// Entries not for this worker that a search leaves behind before it gives up: it holds a lock.
inline uint32_t most_left(const Judge& judge) { return std::max(judge.few, 16u); }

} // namespace xomp
