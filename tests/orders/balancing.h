// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tests of na-ws and na-rp share: their workers create tasks and wait for all of them in
// the loop of task/wait_loop.h, or move and redirect tasks in one that never sleeps. After
// checked_std.h.
#pragma once
#include "sched/papers/ring_matrix.cc"
#include "sched/papers/thief.h"
#include "sched/papers/victims.cc"
#include "sched/sleepers.cc"
#include "task/wait_loop.h"
#include "task/wakeup.cc"
#include "workers.h"

/// What the functions of the task room see, which are the test's own here.
struct Room {
  virtual void run(xomp::DeferredTask& task) = 0;
  virtual void launch(xomp::Worker&, xomp::DeferredTask& task) { run(task); }
};
inline Room* room = nullptr;

namespace xomp {

inline Verdict always(DeferredTask*, void* verdict) { return *static_cast<Verdict*>(verdict); }
/// What is taken is run next.
inline DeferredTask* take_from_queues(Worker& worker, Verdict verdict) {
  DeferredTask* task = worker.policy->take(worker, Judge{always, &verdict});
  if (task && worker.policy->found_task)
    worker.policy->found_task(worker);
  return task;
}
DeferredTask* next_task(Worker& worker, Search&) {
  return take_from_queues(worker, Verdict::kTake);
}
void launch(Worker& worker, DeferredTask& task) { room->launch(worker, task); }
void launch_for_some(Worker& worker, DeferredTask& task) { room->launch(worker, task); }

} // namespace xomp

struct Task : xomp::DeferredTask {
  rl::var<int> content;
  int number = 0, arrivals = 0;
};

/// Tasks that went to who had asked for them, in all runs of a test.
inline uint64_t given = 0;

template <class Test, const xomp::Policy& kPolicy, int kWorkers, int kTasks>
struct Balancing : rl::test_suite<Test, kWorkers>, Workers<kWorkers>, Room {
  static constexpr uint32_t kSlots = 1;
  Task* tasks[kTasks] = {};
  std::atomic<int> finished{0};

  void before() {
    using namespace xomp;
    room = this;
    settings.queue_size = kSlots;
    settings.steal = settings.victims = settings.interval = 1;
    settings.local_share = Victims::kAlways;
    this->start(kPolicy);
    checked::sparingly = true;
    for (Worker* each : this->workers)
      kPolicy.open(*each);
    for (int i = 0; i < kTasks; ++i) {
      tasks[i] = sys::create<Task>();
      tasks[i]->number = i;
    }
    // First uses.
    for (Worker* from : this->workers) {
      from->gate.store(kGateOpen, std::memory_order_relaxed);
      for (Worker* to : this->workers) {
        push_to(*from, to->id, tasks[0]);
        ring_from(matrix_of(*to).in.load(std::memory_order_relaxed), from->id)->pop();
      }
    }
    checked::sparingly = false;
  }
  void after() {
    using namespace xomp;
    for (Worker* each : this->workers) {
      // Nothing is left, so there is room.
      RL_ASSERT(each->gate.newest() == kGateOpen);
      given += each->counters.stolen_local;
    }
    for (Task* each : tasks) {
      RL_ASSERT(each->arrivals == 1);
      sys::destroy(each);
    }
    for (Worker* each : this->workers)
      kPolicy.close(*each);
    this->end();
  }
  /// As task/create.cc.
  void create(int id, int n) {
    using namespace xomp;
    Worker& worker = *this->workers[id];
    tasks[n]->content(RL_INFO) = n;
    if (worker.gate.load(std::memory_order_relaxed) != kGateOpen || !kPolicy.has_room(worker) ||
        kPolicy.put(worker, tasks[n], false) == kNoRoom)
      run(*tasks[n]);
  }
  void run(xomp::DeferredTask& deferred) override {
    auto& task = static_cast<Task&>(deferred);
    RL_ASSERT(task.content(RL_INFO) == task.number);
    RL_ASSERT(++task.arrivals == 1);
    if (finished.fetch_add(1, std::memory_order_acq_rel) + 1 == kTasks)
      this->ring_all();
  }
  bool all_finished() { return finished.load(std::memory_order_acquire) == kTasks; }
  void wait(int id) {
    xomp::wait_until(*this->workers[id], true, [&] { return all_finished(); });
  }
};

/// Worker 0 creates most tasks, worker 1 one, and they come to all workers.
template <const xomp::Policy& kPolicy>
struct HandOver : Balancing<HandOver<kPolicy>, kPolicy, 3, 6> {
  void thread(unsigned index) {
    int id = static_cast<int>(index);
    for (int n = 0; id == 0 && n < 5; ++n)
      this->create(id, n);
    if (id == 1)
      this->create(id, 5);
    this->wait(id);
  }
};

/// As `verified`; tasks that were asked for have to have come.
template <class Test> bool verified_and_given(const char* what, rl::iteration_t runs) {
  given = 0;
  return verified<Test>(what, runs) && given > 0;
}
