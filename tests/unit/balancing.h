// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tests of na-rp and na-ws share: settings of their own, and workers on threads.
#pragma once
#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "ports.h"

namespace xomp {

class BalancingTest : public testing::Test {
protected:
  void SetUp() override {
    settings.queue_size = 4;
    settings.victims = 16; // everybody, in small teams
    settings.steal = 2;
    settings.interval = 5;
    settings.local_share = 1'000'000;
  }
  void TearDown() override { settings = before; }

  DeferredTask tasks[128];

private:
  Settings before = settings;
};

/// Every worker creates tasks, takes what it finds and asks when it finds nothing, and sleeps when
/// that lasts; each task arrives once, and no worker is left asleep.
inline void hand_over_between_threads(SchedulerKind kind, int workers, int tasks_each) {
  Ports ports(kind, workers, workers);
  struct Numbered : DeferredTask {
    std::atomic<int> taken{0};
    long content = 0; // not atomic: the rings have to order it
  };
  std::unique_ptr<Numbered[]> all(new Numbered[static_cast<std::size_t>(workers * tasks_each)]);
  std::atomic<long> left{static_cast<long>(workers) * tasks_each};
  auto finished = [&](Numbered& task) {
    task.taken++;
    if (left.fetch_sub(1) != 1)
      return;
    for (int i = 0; i < workers; ++i)
      ports[i].bell.ring();
  };
  auto work = [&](int me) {
    Port& port = ports[me];
    const Policy& policy = *port.policy;
    Verdict take = Verdict::kTake;
    Judge judge{always, &take};
    auto find = [&](bool last) {
      auto* task = static_cast<Numbered*>(policy.take(port, judge));
      if (task)
        policy.found_task(port);
      else
        policy.found_nothing(port, last);
      return task;
    };
    int created = 0;
    auto next = [&]() -> Numbered& {
      return all[static_cast<std::size_t>(me * tasks_each + created++)];
    };
    while (left.load() > 0) {
      // Worker 0 creates without a pause, the others look around in between.
      if (created < tasks_each && (me == 0 || created % 8 != 7)) {
        Numbered& task = next();
        task.content = created;
        // Refused, or the gate is closed: it is run at once.
        if (ports.closed(me) || !ports.offer(me, task))
          finished(task);
        continue;
      }
      if (created < tasks_each)
        finished(next());
      Numbered* task = find(false);
      if (!task && created == tasks_each) {
        ports.prepare_park(me);
        if (left.load() == 0 || (task = find(true)))
          port.bell.cancel();
        else
          port.bell.sleep();
        ports.sleepers.remove(me);
      }
      if (!task)
        continue;
      EXPECT_GT(task->content, 0);
      finished(*task);
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < workers; ++i)
    threads.emplace_back(work, i);
  for (std::thread& thread : threads)
    thread.join();
  for (int i = 0; i < workers * tasks_each; ++i)
    ASSERT_EQ(all[static_cast<std::size_t>(i)].taken, 1) << i;
  for (int i = 0; i < workers; ++i)
    EXPECT_EQ(ports.take(i), nullptr);
}

} // namespace xomp
