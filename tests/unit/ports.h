// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ports without workers behind them: a test of a policy plays all workers of a team.
#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "sched/policy.h"
#include "sched/sleepers.h"
#include "task/task.h"
#include "team/policies.h"

namespace xomp {

inline constexpr uintptr_t kStackLimit = 4096;

inline Verdict always(DeferredTask*, void* verdict) { return *static_cast<Verdict*>(verdict); }

class Ports {
public:
  /// `most` ports, of which a team of `count` is opened. Worker i is in domain i * domains / most.
  Ports(SchedulerKind kind, int most, int count, int domains = 1)
      : policy(policy_of(kind)), ports(new Port[static_cast<std::size_t>(most)]), most(most) {
    for (int i = 0; i < most; ++i)
      peers.push_back(&ports[static_cast<std::size_t>(i)]);
    for (int i = 0; i < most; ++i) {
      (*this)[i].id = i;
      (*this)[i].peers = peers.data();
      (*this)[i].policy = &policy;
      (*this)[i].sleepers = &sleepers;
      (*this)[i].stack_limit = kStackLimit;
      (*this)[i].domain = i * domains / most;
    }
    sleepers.reserve(most);
    open(count);
  }
  ~Ports() {
    for (int i = 0; i < most; ++i)
      policy.close((*this)[i]);
    sleepers.end();
  }
  Ports(const Ports&) = delete;
  Ports& operator=(const Ports&) = delete;

  void open(int count) {
    for (int i = 0; i < count; ++i) {
      (*this)[i].count = count;
      policy.open((*this)[i]);
    }
  }
  Port& operator[](int i) { return ports[static_cast<std::size_t>(i)]; }
  bool put(int from, DeferredTask& task) {
    return policy.put((*this)[from], &task, false) != kNoRoom;
  }
  bool has_room(int from) { return policy.has_room((*this)[from]); }
  DeferredTask* take(int at, Verdict verdict = Verdict::kTake) {
    DeferredTask* task = policy.take((*this)[at], Judge{always, &verdict});
    if (task)
      find_task(at);
    return task;
  }
  /// As a worker that has found a task to execute, wherever it lay.
  void find_task(int at) {
    if (policy.found_task)
      policy.found_task((*this)[at]);
  }
  /// As a worker that finds nothing.
  void look_in_vain(int at, bool last = false) {
    ASSERT_EQ(take(at), nullptr);
    policy.found_nothing((*this)[at], last);
  }
  bool closed(int at) { return (*this)[at].gate.load() == kStackLimit; }
  bool opened(int at) { return (*this)[at].gate.load() == kGateOpen; }
  /// The worker announces that it will sleep, and has been or has not been woken.
  void prepare_park(int at) {
    (*this)[at].bell.prepare();
    sleepers.add(at);
  }
  bool asleep(int at) { return (*this)[at].bell.sleeping(); }
  /// As a creator does: asks, and puts where there is room.
  bool offer(int from, DeferredTask& task) { return has_room(from) && put(from, task); }

  Sleepers sleepers;

private:
  const Policy& policy;
  std::unique_ptr<Port[]> ports;
  std::vector<Port*> peers;
  int most;
};

} // namespace xomp
