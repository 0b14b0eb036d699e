// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers after 2^31 and 2^32 rounds: some minutes of nothing but barriers, some days of short
// regions. xomp-test: timeout=60
#include "team/barrier.h"

#include <gtest/gtest.h>

#include <atomic>
#include <utility>

#include "conf/settings.h"
#include "team/region.h"

namespace xomp {
namespace {

constexpr int kBarriers = 9;

uint64_t clean(uint64_t round) { return round << 1 | 1; }

/// As after so many rounds, of which the last was clean. Nobody may be at the seat.
void set_node(BarrierNode& shared, uint64_t rounds) {
  shared.round = static_cast<decltype(shared.round)>(rounds);
  for (auto& report : shared.reports)
    report = static_cast<decltype(report.load())>(clean(rounds));
  shared.release = static_cast<decltype(shared.release.load())>(clean(rounds));
}

void set_over(SharedBarrier& shared, uint64_t rounds) {
  shared.over = static_cast<decltype(shared.over.load())>(rounds);
}

struct Meeting {
  uint64_t joins = 0; ///< so many have been; 0: as they are
  std::atomic<int> arrived{0};
  std::atomic<int> early{0}; ///< times that somebody left a barrier before all had come
};

void meet(Member& member, Meeting& meeting, int barrier) {
  meeting.arrived.fetch_add(1);
  plain_barrier(member);
  if (meeting.arrived.load() < (barrier + 1) * member.count)
    meeting.early.fetch_add(1);
}

void body(void* argument) {
  auto& meeting = *static_cast<Meeting*>(argument);
  auto& member = static_cast<Member&>(*self);
  for (int barrier = 0; barrier < kBarriers; ++barrier) {
    member.stack.dirty = barrier % 3 == member.id; // takes another wave, but in a flat one
    meet(member, meeting, barrier);
  }
  // Inside of a region nobody looks at the join's words.
  if (member.id == 0 && meeting.joins) {
    Team& team = my_team();
    for (int i = 0; i < team.count; ++i)
      set_node(team.members[i]->join, meeting.joins);
    set_over(team.shared_join, meeting.joins);
  }
  meet(member, meeting, kBarriers);
}

void run_after(uint64_t rounds, unsigned threads) {
  Meeting first;
  first.joins = rounds;
  parallel(body, &first, threads, 0);
  EXPECT_EQ(first.early.load(), 0);
  for (int region = 0; region < 6; ++region) {
    Meeting meeting;
    parallel(body, &meeting, threads, 0);
    EXPECT_EQ(meeting.early.load(), 0);
  }
}

/// The inner words are set between two regions, when nobody is inside.
void start_at(uint64_t rounds, unsigned threads) {
  Team* team = nullptr;
  auto find = [](void* found) {
    if (static_cast<Member&>(*self).id == 0)
      *static_cast<Team**>(found) = &my_team();
  };
  parallel(find, &team, threads, 0);
  for (int i = 0; i < team->count; ++i)
    set_node(team->members[i]->inner, rounds);
  set_over(team->shared_inner, rounds);
  run_after(rounds, threads);
}

/// Waves that are clean, and others, come where 31 and 32 bits begin anew.
void run_past_the_ends(unsigned threads, int processors) {
  int before = std::exchange(settings.threads_at_once, processors);
  for (uint64_t number : {uint64_t{1} << 31, uint64_t{1} << 32}) {
    for (uint64_t left = 1; left <= 4; ++left)
      start_at(number - left, threads);
  }
  settings.threads_at_once = before;
}

TEST(Barrier, TheTreesRoundsAreNotCountedOut) { run_past_the_ends(3, 64); }

TEST(Barrier, ThoseOfATreeOfTwoLevelsAreNotCountedOut) { run_past_the_ends(kFanOut + 3, 64); }

TEST(Barrier, APairsRoundsAreNotCountedOut) { run_past_the_ends(2, 64); }

TEST(Barrier, TheFlatBarriersRoundsAreNotCountedOut) { run_past_the_ends(3, 1); }

TEST(Barrier, EachRegionMayHaveAnotherKind) {
  int before = settings.threads_at_once;
  for (unsigned threads : {2u, 3u}) {
    for (int region = 0; region < 40; ++region) { // of one size: its words go on
      settings.threads_at_once = region % 4 < 2 ? 64 : 1;
      Meeting meeting;
      parallel(body, &meeting, threads, 0);
      EXPECT_EQ(meeting.early.load(), 0);
    }
  }
  settings.threads_at_once = before;
}

} // namespace
} // namespace xomp
