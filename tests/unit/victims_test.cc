// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whom a thief asks (sched/papers/victims.h): the share of its own locality domain, everybody in
// turn, never itself.
#include "sched/papers/victims.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "ports.h"

namespace xomp {
namespace {

constexpr int kPicks = 6000;

class VictimChoice : public testing::Test {
protected:
  /// Twelve workers in three domains: worker i is in domain i % 3.
  VictimChoice() : ports(SchedulerKind::kNaWs, 12, 12) {
    for (int i = 0; i < 12; ++i)
      ports[i].domain = i % 3;
    victims.open(ports[4]);
  }
  ~VictimChoice() override { victims.close(); }

  std::map<int, int> picks(int own, uint32_t local_share) {
    std::map<int, int> found;
    for (int i = 0; i < kPicks; ++i)
      ++found[victims.pick(ports[own], local_share)];
    return found;
  }
  std::multiset<int> all(int own, uint32_t local_share) {
    std::multiset<int> found;
    victims.each(ports[own], local_share, [&](int victim) { found.insert(victim); });
    return found;
  }

  Ports ports;
  Victims victims;
};

TEST_F(VictimChoice, IsLocalWithProbabilityOne) {
  auto found = picks(4, Victims::kAlways);
  ASSERT_EQ(found.size(), 3u);
  for (int local : {1, 7, 10})
    EXPECT_NEAR(found[local], kPicks / 3, kPicks / 20);
  EXPECT_EQ(all(4, Victims::kAlways), (std::multiset{1, 7, 10}));
}

TEST_F(VictimChoice, IsRemoteWithProbabilityZero) {
  auto found = picks(4, 0);
  ASSERT_EQ(found.size(), 8u);
  for (auto [victim, times] : found) {
    EXPECT_NE(victim % 3, 1);
    EXPECT_NEAR(times, kPicks / 8, kPicks / 20);
  }
  EXPECT_EQ(all(4, 0), (std::multiset{0, 2, 3, 5, 6, 8, 9, 11}));
}

TEST_F(VictimChoice, DividesItselfBetweenTheTwo) {
  auto found = picks(4, Victims::kAlways / 4);
  int local = found[1] + found[7] + found[10];
  EXPECT_NEAR(local, kPicks / 4, kPicks / 20);
  EXPECT_EQ(found.count(4), 0u);
  EXPECT_EQ(all(4, Victims::kAlways / 4).size(), 11u);
}

TEST_F(VictimChoice, TakesTheOtherKindWhereOneIsMissing) {
  for (int i = 0; i < 12; ++i)
    ports[i].domain = 0;
  victims.open(ports[4]);
  EXPECT_EQ(picks(4, 0).size(), 11u);
  EXPECT_EQ(all(4, 0).size(), 11u);
  ports[4].domain = 1; // alone in its domain
  victims.open(ports[4]);
  EXPECT_EQ(picks(4, Victims::kAlways).size(), 11u);
  EXPECT_EQ(all(4, Victims::kAlways).size(), 11u);
}

TEST_F(VictimChoice, FollowsTheTeamsSize) {
  ports.open(2);
  victims.open(ports[1]);
  EXPECT_EQ(all(1, Victims::kAlways / 2), (std::multiset{0}));
  ports.open(12);
  victims.open(ports[1]);
  EXPECT_EQ(all(1, Victims::kAlways / 2).size(), 11u);
}

TEST_F(VictimChoice, DiffersBetweenThieves) {
  Victims other;
  other.open(ports[7]);
  int equal = 0;
  for (int i = 0; i < 100; ++i)
    equal += victims.pick(ports[4], 0) == other.pick(ports[7], 0);
  EXPECT_LT(equal, 50);
  other.close();
}

} // namespace
} // namespace xomp
