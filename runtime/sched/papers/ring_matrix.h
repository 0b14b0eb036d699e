// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The XQueue matrix (paper 1, section II.B): one SPSC ring from every worker to every worker. Each
// worker consumes its master ring (its own) and an auxiliary ring from every other worker.
//
// The matrix is laid out lazily: a row of pointers exists once a worker created a task (`out`) or
// was sent one (`in`), a ring once something was put into it.
#pragma once
#include <atomic>

#include "queue/spsc_ring.h"
#include "sched/policy.h"
#include "sys/assert.h"
#include "sys/delay.h"

namespace xomp {

using TaskRing = SpscRing<DeferredTask>;

/// A worker's part of the matrix, and the base of the state of every policy that uses it.
struct RingMatrix {
  int capacity = 0;         ///< workers that the rows have room for
  TaskRing** out = nullptr; ///< [capacity]: this worker -> i; its own
  std::atomic<std::atomic<TaskRing*>*> in{
      nullptr}; ///< [capacity]: i -> this worker; made by the first producer
};

/// `Port::state` points to this base, whatever the policy has in addition.
inline RingMatrix& matrix_of(const Port& port) { return *static_cast<RingMatrix*>(port.state); }

/// Makes room for a team of `count`; rings stay where they are. Nobody else may be looking.
void reserve_rings(RingMatrix& matrix, int count);
/// Frees the rings of which the worker is the producer, and its rows.
void free_rings(RingMatrix& matrix);

inline bool room_in(const RingMatrix& matrix, int target) {
  TaskRing* ring = matrix.out ? matrix.out[target] : nullptr;
  return !ring || ring->next_slot()->load(std::memory_order_acquire) == nullptr;
}

/// Makes the ring from the port's worker to `target`.
[[gnu::cold]] TaskRing* lay_out_ring(Port& port, int target);

/// Puts an entry into the ring to `target`. False when it is full.
inline bool push_to(Port& port, int target, DeferredTask* task) {
  RingMatrix& matrix = matrix_of(port);
  XOMP_ASSERT(target >= 0 && target < port.count && target < matrix.capacity);
  TaskRing* ring = matrix.out ? matrix.out[target] : nullptr;
  if (!ring) [[unlikely]]
    ring = lay_out_ring(port, target);
  sys::delay();
  return ring->push(task);
}

/// The ring from `producer` to the worker whose row `in` is, or null.
inline TaskRing* ring_from(std::atomic<TaskRing*>* in, int producer) {
  // Acquire pairs with the producer's release when the ring was laid out.
  return in[producer].load(std::memory_order_acquire);
}

/// Consumer: removes the oldest entry of a ring that comes from `producer`.
inline void pop_from(TaskRing& ring, Port& producer) {
  sys::delay();
  ring.pop();
  open_gate(producer);
}

/// The first task of the ring that the judge lets the consumer have; `kept` becomes true when one
/// stays in the way.
inline DeferredTask* take_from(TaskRing& ring, Port& producer, const Judge& judge, bool& kept) {
  while (DeferredTask* task = ring.front()) {
    Verdict verdict = judge(task);
    if (verdict == Verdict::kKeep) {
      kept = true;
      return nullptr;
    }
    pop_from(ring, producer);
    if (verdict == Verdict::kTake)
      return task;
  }
  return nullptr;
}

/// As `Policy::queued`.
inline int queued_in_rings(const Port& port) {
  auto* in = matrix_of(port).in.load(std::memory_order_acquire);
  int sum = 0;
  for (int i = 0; in && i < port.count; ++i) {
    if (TaskRing* ring = ring_from(in, i))
      sum += ring->occupied();
  }
  return sum;
}

} // namespace xomp
