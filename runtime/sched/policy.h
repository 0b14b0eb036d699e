// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a scheduling policy must provide, and the two structures through which the task room speaks to it.
// A policy is one file here and one line in policies.cc. It moves opaque task pointers between workers; it
// never runs one. What may be taken by whom (the OpenMP task scheduling constraint) is decided by the judge
// that the caller of `take` passes in.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "conf/settings.h"
#include "sys/bell.h"

namespace xomp {

struct DeferredTask; // task/task.h; opaque here
struct Policy;

/// A place where a worker could put its next task. `*slot` not null means "full: run the task now" (paper 1,
/// section II.B); this one load is all that the fast path of task creation asks of a policy.
struct Outlet {
  std::atomic<DeferredTask*>* slot;
  Outlet* next; ///< tried after this one was used or found full
};

/// Never full: sends task creation to its slow path. Its successor is itself.
extern Outlet kOpenOutlet;
/// Always full: every task runs at once (teams of one worker).
extern Outlet kClosedOutlet;

/// One worker's connection to the scheduler. Written by its own worker only, but for `bell`.
struct Port {
  Outlet* outlet = &kOpenOutlet; ///< what the fast path looks at
  Outlet* cursor = nullptr;      ///< where the policy would put next while `outlet` is forced open
  int id = 0;                    ///< 0 .. count-1
  int count = 1;                 ///< workers of the team
  Port* const* peers = nullptr;  ///< the ports of the team, by id
  const Policy* policy = nullptr;
  void* state = nullptr; ///< the policy's own, one per port
  sys::Bell bell;        ///< rung by whoever gives this worker something to look at
};

enum class Verdict : uint8_t {
  kTake, ///< the task is the caller's now: remove it and return it
  kDrop, ///< the entry is stale: remove it
  kKeep, ///< not for this worker at this moment: leave it where it is
};

/// Decides about one queued task; called by a policy for the tasks that it offers.
struct Judge {
  Verdict (*decide)(DeferredTask* task, const void* context);
  const void* context;
  Verdict operator()(DeferredTask* task) const { return decide(task, context); }
};

struct Policy {
  const char* name;
  /// Makes `port.state` ready for a team of `port.count` workers whose ports are `port.peers`, and sets
  /// `outlet`/`cursor`. Called for every port before a team starts, while nobody else uses any of them.
  /// A port keeps its state between teams, and may be opened with another count.
  void (*open)(Port& port);
  /// Frees `port.state` (all ports of a team are closed together).
  void (*close)(Port& port);
  /// Offers `task` where the cursor stands, advances the cursor, and rings the bell of a worker that may
  /// take it. False: full, nothing happened except that the cursor advanced.
  bool (*put)(Port& port, DeferredTask* task);
  /// A task for which the judge said kTake, or null.
  DeferredTask* (*take)(Port& port, const Judge& judge);
};

/// The policy that `kind` names.
const Policy& policy_of(SchedulerKind kind);

/// The fast path's gate follows the policy's cursor unless it was forced open.
inline void move_cursor(Port& port, Outlet* to) {
  if (port.cursor) port.cursor = to;
  else port.outlet = to;
}
inline Outlet* cursor(const Port& port) { return port.cursor ? port.cursor : port.outlet; }

/// From now on every creation on `port` takes the slow path (cancellation, statistics).
inline void force_open(Port& port) {
  port.cursor = port.outlet;
  port.outlet = &kOpenOutlet;
}

} // namespace xomp
