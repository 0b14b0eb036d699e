// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What Q and L of paper 5 (Table 1) have in common: one queue for each worker, into which everybody
// puts in turn (round robin) and from which only that worker takes. They differ in the queue: FIFO
// and without a lock, or LIFO and with one.
#pragma once
#include "sched/papers/shared_room.h"
#include "sys/memory.h"

namespace xomp {

/// `Queue` has `size()`, `push(task)` (false: full) and `take(pick, most)`.
template <class Queue> class PerWorker {
public:
  static void open(Port& port) {
    if (!port.state)
      port.state = sys::create<State>();
    State& state = of(port);
    state.next = port.id;
    state.refusals = 0;
    state.closed.store(false, std::memory_order_relaxed);
    reset(port);
  }

  static void close(Port& port) {
    sys::destroy(static_cast<State*>(port.state));
    port.state = nullptr;
  }

  /// Of queues with a lock.
  static void after_fork(Port& port) {
    if (port.state)
      of(port).queue.after_fork();
  }

  static bool has_room(Port& port) {
    State& state = of(port);
    if (queue_of(port, state.next).size() < settings.queue_size) {
      state.refusals = 0;
      return true;
    }
    state.next = after(state.next, port);
    if (++state.refusals < port.count)
      return false;
    state.refusals = 0;
    close_shared_gate(port, closed(port), [&] {
      for (int i = 0; i < port.count; ++i) {
        if (half_empty(queue_of(port, i)))
          return true;
      }
      return false;
    });
    return false;
  }

  static int put(Port& port, DeferredTask* task, bool to_another) {
    State& state = of(port);
    int target = state.next;
    if (to_another && target == port.id)
      target = after(target, port);
    state.next = after(target, port);
    if (!queue_of(port, target).push(task))
      return kNoRoom;
    if (target != port.id)
      port.peers[target]->bell.ring();
    return target;
  }

  static DeferredTask* take(Port& port, const Judge& judge) {
    Queue& queue = of(port).queue;
    if (queue.size() == 0)
      return nullptr;
    DeferredTask* task = queue.take(judge, most_left(judge));
    if (half_empty(queue))
      open_shared_gates(closed(port), port.peers, port.count);
    return task;
  }

private:
  struct State {
    Queue queue;
    int next = 0;              ///< target of the next put
    int refusals = 0;          ///< full targets in a row
    ClosedGates closed{false}; ///< of the team; that of worker 0 counts
  };
  static State& of(const Port& port) { return *static_cast<State*>(port.state); }
  static Queue& queue_of(const Port& port, int worker) { return of(*port.peers[worker]).queue; }
  static ClosedGates& closed(const Port& port) { return of(*port.peers[0]).closed; }
  static bool half_empty(const Queue& queue) { return queue.size() <= settings.queue_size / 2; }
};

} // namespace xomp
