// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// xqueue1 and xqueue2 (paper 4): tasks go to the worker itself and to the next one or two; what is
// common with slb is tested there.
#include <gtest/gtest.h>

#include <vector>

#include "ports.h"

namespace xomp {
namespace {

/// Where the first `count` tasks of a worker go.
std::vector<int> targets(Ports& ports, int worker, int count, bool to_another = false) {
  static DeferredTask task;
  std::vector<int> found;
  for (int i = 0; i < count; ++i)
    found.push_back(ports[worker].policy->put(ports[worker], &task, to_another));
  return found;
}

TEST(Xqueue1, SendsToTheNextWorkerOnly) {
  Ports ports(SchedulerKind::kXqueue1, 4, 4);
  EXPECT_EQ(targets(ports, 1, 4), (std::vector{1, 2, 1, 2}));
  EXPECT_EQ(targets(ports, 3, 4), (std::vector{3, 0, 3, 0}));
  EXPECT_EQ(targets(ports, 0, 2, true), (std::vector{1, 1}));
}

TEST(Xqueue2, SendsToTheNextTwoWorkersOnly) {
  Ports ports(SchedulerKind::kXqueue2, 4, 4);
  EXPECT_EQ(targets(ports, 1, 4), (std::vector{1, 2, 3, 1}));
  EXPECT_EQ(targets(ports, 3, 4), (std::vector{3, 0, 1, 3}));
  EXPECT_EQ(targets(ports, 2, 3, true), (std::vector{3, 0, 3}));
}

TEST(Xqueue2, IsContentWithATeamOfTwo) {
  Ports ports(SchedulerKind::kXqueue2, 2, 2);
  EXPECT_EQ(targets(ports, 1, 4), (std::vector{1, 0, 1, 0}));
}

TEST(Xqueue, ConsumersFindWhatIsSentToThem) {
  for (auto [kind, others] :
       {std::pair{SchedulerKind::kXqueue1, 1}, std::pair{SchedulerKind::kXqueue2, 2}}) {
    Ports ports(kind, 5, 5);
    DeferredTask tasks[3];
    for (int worker = 0; worker < 5; ++worker) {
      for (int i = 0; i <= others; ++i)
        ASSERT_TRUE(ports.offer(worker, tasks[i]));
      for (int i = 0; i <= others; ++i) {
        EXPECT_EQ(ports.take((worker + i) % 5), &tasks[i]);
        EXPECT_EQ(ports.take((worker + i) % 5), nullptr);
      }
    }
  }
}

TEST(Xqueue, ClosesTheGateWhenTheFewTargetsAreFull) {
  Ports ports(SchedulerKind::kXqueue1, 4, 4);
  DeferredTask task;
  while (ports.offer(0, task))
    ASSERT_TRUE(ports.opened(0));
  EXPECT_FALSE(ports.has_room(0));
  EXPECT_TRUE(ports.closed(0));
  ASSERT_NE(ports.take(1), nullptr);
  EXPECT_TRUE(ports.opened(0));
}

TEST(Xqueue, FollowsTheTeamsSize) {
  Ports ports(SchedulerKind::kXqueue1, 5, 3);
  EXPECT_EQ(targets(ports, 2, 2), (std::vector{2, 0}));
  ports.open(5);
  EXPECT_EQ(targets(ports, 2, 4), (std::vector{2, 3, 2, 3}));
  EXPECT_NE(ports.take(3), nullptr);
}

} // namespace
} // namespace xomp
