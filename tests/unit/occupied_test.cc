// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The hint at queues that hold something: all are visited once, in order, wherever one begins.
#include "sched/occupied.h"

#include <gtest/gtest.h>

#include <vector>

namespace xomp {
namespace {

class OccupiedTest : public testing::Test {
protected:
  static constexpr int kWorkers = 130; // the last word is not full
  void SetUp() override { occupied.reset(kWorkers); }
  void TearDown() override { occupied.end(); }

  void forget_all() {
    for (int id = 0; id < kWorkers; ++id)
      occupied.clear(id);
  }
  std::vector<int> visited_from(int first) {
    std::vector<int> ids;
    EXPECT_FALSE(occupied.visit_from(first, [&](int id) {
      ids.push_back(id);
      return false;
    }));
    return ids;
  }

  Occupied occupied;
};

TEST_F(OccupiedTest, AtFirstEverybodyMayHaveSomething) {
  std::vector<int> all;
  for (int id = 0; id < kWorkers; ++id)
    all.push_back(id);
  EXPECT_EQ(visited_from(0), all);
}

TEST_F(OccupiedTest, WhoHasNothingIsNotVisited) {
  forget_all();
  EXPECT_EQ(visited_from(64), std::vector<int>());
}

TEST_F(OccupiedTest, TheVisitGoesAround) {
  forget_all();
  for (int id : {0, 5, 63, 64, 100, 129})
    occupied.note(id);
  EXPECT_EQ(visited_from(0), (std::vector{0, 5, 63, 64, 100, 129}));
  EXPECT_EQ(visited_from(5), (std::vector{5, 63, 64, 100, 129, 0}));
  EXPECT_EQ(visited_from(6), (std::vector{63, 64, 100, 129, 0, 5}));
  EXPECT_EQ(visited_from(64), (std::vector{64, 100, 129, 0, 5, 63}));
  EXPECT_EQ(visited_from(101), (std::vector{129, 0, 5, 63, 64, 100}));
  EXPECT_EQ(visited_from(129), (std::vector{129, 0, 5, 63, 64, 100}));
}

TEST_F(OccupiedTest, TheVisitEndsWhereItIsTold) {
  forget_all();
  occupied.note(70);
  occupied.note(3);
  int visits = 0;
  EXPECT_TRUE(occupied.visit_from(4, [&](int id) {
    ++visits;
    return id == 70;
  }));
  EXPECT_EQ(visits, 1);
}

TEST_F(OccupiedTest, AllAreTakenOutAtOnce) {
  forget_all();
  for (int id : {129, 3, 64})
    occupied.note(id);
  EXPECT_TRUE(occupied.has(64));
  occupied.remove_all();
  EXPECT_FALSE(occupied.has(64));
  EXPECT_EQ(visited_from(0), std::vector<int>());
}

TEST_F(OccupiedTest, WhoForgetsIsToldWhetherThatWasNews) {
  EXPECT_TRUE(occupied.clear(77));
  EXPECT_FALSE(occupied.clear(77));
  occupied.note(77);
  EXPECT_TRUE(occupied.clear(77));
}

TEST_F(OccupiedTest, ASmallerTeamVisitsNobodyOfTheLargerOne) {
  occupied.reset(20);
  EXPECT_EQ(visited_from(0).size(), 20u);
  occupied.reset(kWorkers);
  EXPECT_EQ(visited_from(129).size(), static_cast<std::size_t>(kWorkers));
}

} // namespace
} // namespace xomp
