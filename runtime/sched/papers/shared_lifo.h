// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A LIFO that several workers share: all of a team (CQ of paper 5), or those of one locality domain
// (MTS). Depth first, close to the serial order, for the sake of a cache that they share too.
#pragma once
#include "queue/locked_deque.h"
#include "sched/papers/shared_room.h"

namespace xomp {

struct SharedLifo {
  LockedDeque<DeferredTask> deque;
  ClosedGates closed{false};
  uint32_t limit = 0; ///< entries

  bool half_empty() const { return deque.size() <= limit / 2; }

  /// Whether the worker of `port`, one of those that share it, may put a task into it; if not, its
  /// gate is closed.
  bool has_room(Port& port) {
    if (deque.size() < limit)
      return true;
    if (port.places_tasks)
      return false;
    close_shared_gate(port, closed, [this] { return half_empty(); });
    return false;
  }
  /// Something was taken out; `ports` are those that share it.
  void made_room(Port* const* ports, int count) {
    if (half_empty())
      open_shared_gates(closed, ports, count);
  }
  /// Its own worker is about to run `task`.
  bool retract(DeferredTask* task, Port* const* ports, int count) {
    if (!deque.retract(task))
      return false;
    made_room(ports, count);
    return true;
  }
  /// The newest that the judge allows.
  DeferredTask* take(const Judge& judge, LookLess& look, Port* const* ports, int count) {
    if (deque.size() == 0 || look.skips(judge))
      return nullptr;
    DeferredTask* task = deque.take_newest(judge, most_left(judge));
    made_room(ports, count);
    if (task)
      look.found();
    else
      look.fruitless();
    return task;
  }
};

} // namespace xomp
