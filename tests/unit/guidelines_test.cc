// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What na-rp and na-ws choose by the size of tasks (paper 1, Table IV), and that few tasks are
// shared out.
#include <gtest/gtest.h>

#include "balancing.h"
#include "sched/papers/guidelines.h"
#include "sched/papers/thief.h"

namespace xomp {
namespace {

class Guidelines : public BalancingTest {
protected:
  void SetUp() override {
    BalancingTest::SetUp();
    settings.queue_size = 64;
    settings.victims = settings.steal = settings.interval = 0;
    settings.local_share = Settings::kAutoShare;
  }
};

/// S_steal, equation 1.
double steal_size(int64_t cycles) {
  int victims = guidelines::victims(cycles);
  return double(guidelines::steal(cycles, victims)) * victims / guidelines::kLogOfInterval;
}

TEST_F(Guidelines, StealSizesAreThoseOfTableIV) {
  struct {
    int64_t cycles;
    double least, most;
  } rows[] = {{10, 1, 10},      {99, 1, 10},       {100, 10, 100},     {999, 10, 100},
              {1000, 100, 316}, {3200, 316, 1000}, {10000, 316, 1000}, {20000, 1000, 1e4}};
  for (auto [cycles, least, most] : rows) {
    // What does not divide evenly among the victims is lost.
    EXPECT_GE(steal_size(cycles), 0.85 * least) << cycles;
    EXPECT_LE(steal_size(cycles), most) << cycles;
    EXPECT_LE(guidelines::victims(cycles), 24);
  }
  EXPECT_EQ(guidelines::local_share(1000), 1'000'000u);
  EXPECT_EQ(guidelines::local_share(3000), 500'000u);
  EXPECT_EQ(guidelines::local_share(30000), 120'000u);
}

TEST_F(Guidelines, TheSizeIsThatOfWhatTheWorkerRanLately) {
  Ports ports(SchedulerKind::kNaWs, 4, 4);
  auto& state = state_of<Balancer>(ports[0]);
  EXPECT_EQ(state.size.cycles(), 0);
  ports[0].ran_for = 400 * sys::kTicksOfMicrosecond;
  ports.find_task(0);
  EXPECT_EQ(state.size.cycles(), 1'000'000);
  ports[0].ran_for = 0;
  ports.find_task(0);
  EXPECT_EQ(state.size.cycles(), 1'000'000) << "nothing was measured";
  ports[0].ran_for = sys::kTicksOfMicrosecond / 50;
  for (int i = 0; i < 300; ++i)
    ports.find_task(0);
  EXPECT_LT(state.size.cycles(), 100);
  EXPECT_EQ(victims_for(state.size, 4), 3) << "no more than there are";
  ports.open(4);
  EXPECT_EQ(state.size.cycles(), 0);
}

TEST_F(Guidelines, AVictimOfFewLargeTasksGivesHalfOfThem) {
  Ports ports(SchedulerKind::kNaWs, 4, 4);
  for (int i = 0; i < 80; ++i)
    ASSERT_TRUE(ports.put(0, tasks[i])); // 20 to each, 0 itself among them
  auto& state = state_of<Balancer>(ports[0]);
  ports[0].ran_for = 400 * sys::kTicksOfMicrosecond;
  state.mailbox.send(1);
  ASSERT_NE(ports.take(0), nullptr);
  EXPECT_EQ(ports[0].counters.stolen_local, 9u) << "of 19";
  settings.steal = 8;
  state.mailbox.send(1);
  ASSERT_NE(ports.take(0), nullptr);
  EXPECT_EQ(ports[0].counters.stolen_local, 9u + 8u) << "as the paper has it: of 9";
}

TEST_F(Guidelines, SmallTasksAreMovedByTheGuidelineHoweverManyWait) {
  Ports ports(SchedulerKind::kNaWs, 2, 2);
  for (int i = 0; i < 64; ++i)
    ASSERT_TRUE(ports.put(0, tasks[i]));
  ports[0].ran_for = 20 * sys::kTicksOfMicrosecond / 2500 + 1; // 20 cycles: S = 2
  state_of<Balancer>(ports[0]).mailbox.send(1);
  ASSERT_NE(ports.take(0), nullptr);
  EXPECT_EQ(ports[0].counters.stolen_local, 8u) << "S times log10(T_interval), from one victim";
}

TEST_F(Guidelines, RedirectedTasksAreBoundedByWhatTheVictimHolds) {
  Ports ports(SchedulerKind::kNaRp, 2, 2);
  for (int i = 0; i < 8; ++i)
    ASSERT_TRUE(ports.put(0, tasks[i])); // four each
  while (ports.take(1)) {
  }
  ports[0].ran_for = 400 * sys::kTicksOfMicrosecond;
  ports.look_in_vain(1);
  ASSERT_NE(ports.take(0), nullptr); // three are left: one for each of two, and one over
  for (int i = 8; i < 24; ++i)
    ASSERT_TRUE(ports.put(0, tasks[i]));
  EXPECT_EQ(ports[0].counters.redirected, 1u);
}

TEST_F(Guidelines, NaRpStaysLocal) {
  Ports ports(SchedulerKind::kNaRp, 4, 4, 2);
  ports[0].ran_for = 400 * sys::kTicksOfMicrosecond;
  ports.find_task(0);
  EXPECT_EQ(state_of<Balancer>(ports[0]).local_share(), 1'000'000u);
  Ports others(SchedulerKind::kNaWs, 4, 4, 2);
  others[0].ran_for = 400 * sys::kTicksOfMicrosecond;
  others.find_task(0);
  EXPECT_EQ(state_of<Balancer>(others[0]).local_share(), 120'000u);
}

} // namespace
} // namespace xomp
