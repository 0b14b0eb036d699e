// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include "task/taskloop.h"

namespace xomp {
namespace {

uint64_t iterations(const TaskloopSplit& split) { return split.tasks * split.size + split.larger; }

TEST(TaskloopSplit, GrainsizeGivesBetweenOneAndTwoGrains) {
  for (uint64_t trips = 1; trips < 300; ++trips)
    for (uint64_t grain = 1; grain < 40; ++grain) {
      TaskloopSplit split = split_taskloop(trips, kTaskGrainsize, grain, 4);
      EXPECT_EQ(iterations(split), trips);
      if (trips < grain) {
        EXPECT_EQ(split.tasks, 1u);
        continue;
      }
      EXPECT_GE(split.size, grain);
      EXPECT_LT(split.size + (split.larger != 0), 2 * grain + (grain == 1));
    }
}

TEST(TaskloopSplit, StrictGrainsizeGivesAllButTheLastExactlyTheGrain) {
  for (uint64_t trips = 1; trips < 300; ++trips)
    for (uint64_t grain = 1; grain < 40; ++grain) {
      TaskloopSplit split = split_taskloop(trips, kTaskGrainsize | kTaskStrict, grain, 4);
      EXPECT_EQ(split.size, grain);
      EXPECT_EQ(split.larger, 0u);
      EXPECT_EQ(split.tasks, (trips + grain - 1) / grain);
    }
}

TEST(TaskloopSplit, NumTasksIsObeyedUpToOneIterationEach) {
  for (uint64_t trips = 1; trips < 200; ++trips)
    for (uint64_t tasks = 1; tasks < 300; ++tasks) {
      TaskloopSplit split = split_taskloop(trips, 0, tasks, 4);
      EXPECT_EQ(split.tasks, std::min(tasks, trips));
      EXPECT_EQ(iterations(split), trips);
    }
}

TEST(TaskloopSplit, WithoutClauseThereIsATaskForEachWorker) {
  EXPECT_EQ(split_taskloop(1000, 0, 0, 8).tasks, 8u);
  EXPECT_EQ(split_taskloop(3, 0, 0, 8).tasks, 3u);
}

TEST(TaskloopSplit, HugeLoopsDoNotOverflow) {
  uint64_t most = ~uint64_t{0};
  EXPECT_EQ(split_taskloop(most, kTaskGrainsize | kTaskStrict, most, 4).tasks, 1u);
  EXPECT_EQ(iterations(split_taskloop(most, 0, 7, 4)), most);
  EXPECT_EQ(iterations(split_taskloop(most, kTaskGrainsize, most / 3, 4)), most);
}

} // namespace
} // namespace xomp
