// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Places and subpartitions of a team, OpenMP 5.2 section 10.1.3. The tables are what libgomp 12
// does with the same partition, policy and team size.
#include <gtest/gtest.h>

#include <string>

#include "place/places.h"

namespace xomp {
namespace {

// "place[first-last]" of each thread.
std::string assigned(PlacePartition parent, int bind, int team_size) {
  std::string result;
  for (int i = 0; i < team_size; ++i) {
    PlacePartition p = assign_place(parent, bind, team_size, i);
    result += (i ? " " : "") + std::to_string(p.place) + "[" + std::to_string(p.first) + "-" +
              std::to_string(p.last) + "]";
  }
  return result;
}

TEST(AssignPlaces, PrimaryKeepsEverybodyAtThePrimaryThread) {
  EXPECT_EQ(assigned({2, 6, 4}, kBindPrimary, 3), "4[2-6] 4[2-6] 4[2-6]");
}

TEST(AssignPlaces, CloseTakesTheNextPlacesAndWrapsAround) {
  EXPECT_EQ(assigned({0, 7, 0}, kBindClose, 3), "0[0-7] 1[0-7] 2[0-7]");
  EXPECT_EQ(assigned({2, 5, 4}, kBindClose, 4), "4[2-5] 5[2-5] 2[2-5] 3[2-5]");
  EXPECT_EQ(assigned({2, 5, 4}, kBindTrue, 4), "4[2-5] 5[2-5] 2[2-5] 3[2-5]");
}

TEST(AssignPlaces, CloseWithMoreThreadsThanPlacesFillsInBlocks) {
  EXPECT_EQ(assigned({0, 1, 0}, kBindClose, 5), "0[0-1] 0[0-1] 1[0-1] 1[0-1] 0[0-1]");
  EXPECT_EQ(assigned({0, 2, 1}, kBindClose, 5), "1[0-2] 2[0-2] 0[0-2] 1[0-2] 2[0-2]");
}

// KMP_AFFINITY, as on libomp.
TEST(AssignPlaces, OfKmpAffinityAreTakenInTurn) {
  EXPECT_EQ(assigned({0, 1, 0}, kBindKmp, 5), "0[0-1] 1[0-1] 0[0-1] 1[0-1] 0[0-1]");
  EXPECT_EQ(assigned({0, 7, 0}, kBindKmp, 3), "0[0-7] 1[0-7] 2[0-7]");
}

TEST(AssignPlaces, OfKmpAffinityBalancedAreFilledInBlocks) {
  places_take_blocks = true;
  EXPECT_EQ(assigned({0, 1, 0}, kBindKmp, 5), "0[0-1] 0[0-1] 0[0-1] 1[0-1] 1[0-1]");
  EXPECT_EQ(assigned({0, 3, 0}, kBindKmp, 3), "0[0-3] 1[0-3] 2[0-3]");
  EXPECT_EQ(assigned({0, 2, 0}, kBindKmp, 3), "0[0-2] 1[0-2] 2[0-2]");
  places_take_blocks = false;
}

TEST(AssignPlaces, SpreadSplitsThePartition) {
  EXPECT_EQ(assigned({0, 7, 0}, kBindSpread, 4), "0[0-1] 2[2-3] 4[4-5] 6[6-7]");
  EXPECT_EQ(assigned({0, 6, 0}, kBindSpread, 4), "0[0-1] 2[2-3] 4[4-5] 6[6-6]");
  EXPECT_EQ(assigned({0, 7, 0}, kBindSpread, 5), "0[0-1] 2[2-3] 4[4-5] 6[6-6] 7[7-7]");
  EXPECT_EQ(assigned({0, 4, 0}, kBindSpread, 5), "0[0-0] 1[1-1] 2[2-2] 3[3-3] 4[4-4]");
}

TEST(AssignPlaces, SpreadLeavesThePrimaryThreadWhereItIs) {
  EXPECT_EQ(assigned({0, 7, 3}, kBindSpread, 2), "3[0-3] 4[4-7]");
  EXPECT_EQ(assigned({0, 6, 5}, kBindSpread, 3), "5[5-6] 0[0-2] 3[3-4]");
}

TEST(AssignPlaces, SpreadWithMoreThreadsThanPlacesGivesSinglePlaces) {
  EXPECT_EQ(assigned({0, 2, 0}, kBindSpread, 5), "0[0-0] 1[1-1] 2[2-2] 0[0-0] 1[1-1]");
  EXPECT_EQ(assigned({9, 10, 9}, kBindSpread, 5), "9[9-9] 9[9-9] 10[10-10] 10[10-10] 9[9-9]");
}

// The rules of the section, for every small case.
TEST(AssignPlaces, StaysInsideThePartitionAndBalances) {
  for (int places = 1; places <= 9; ++places)
    for (int own = 0; own < places; ++own)
      for (int team = 1; team <= 20; ++team)
        for (int bind : {kBindPrimary, kBindClose, kBindSpread}) {
          PlacePartition parent{5, 5 + places - 1, 5 + own};
          int load[9] = {};
          for (int i = 0; i < team; ++i) {
            PlacePartition p = assign_place(parent, bind, team, i);
            ASSERT_TRUE(parent.first <= p.first && p.last <= parent.last);
            ASSERT_TRUE(p.first <= p.place && p.place <= p.last);
            ++load[p.place - 5];
          }
          EXPECT_EQ(assign_place(parent, bind, team, 0).place, parent.place);
          for (int i = 0; bind != kBindPrimary && i < places; ++i) {
            EXPECT_GE(load[i], team >= places ? team / places : 0);
            EXPECT_LE(load[i], (team + places - 1) / places);
          }
        }
}

TEST(AssignPlaces, WithoutAPlaceListNobodyIsPlaced) {
  clear_places();
  EXPECT_EQ(assigned({}, kBindClose, 2), "-1[0--1] -1[0--1]");
}

} // namespace
} // namespace xomp
