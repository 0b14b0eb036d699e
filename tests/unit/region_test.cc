// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Teams between regions: what stays as it is for the next one.
#include "team/region.h"

#include <gtest/gtest.h>

#include <atomic>

#include "conf/settings.h"
#include "sys/clock.h"
#include "task/create.h"

namespace xomp {
namespace {

struct Seen {
  std::atomic<int> members{0};
  Team* team = nullptr; ///< of the master
};

void body(void* argument) {
  auto& seen = *static_cast<Seen*>(argument);
  seen.members.fetch_add(1, std::memory_order_relaxed);
  if (static_cast<Member&>(*self).id == 0)
    seen.team = &my_team();
}

Team& region_of(unsigned threads) {
  Seen seen;
  parallel(body, &seen, threads, 0);
  EXPECT_EQ(seen.members.load(std::memory_order_relaxed), static_cast<int>(threads));
  return *seen.team;
}

TEST(Region, ASerialRegionLeavesTheWideTeamAsItIs) {
  Team& wide = region_of(3);
  uint64_t region = wide.region.load(std::memory_order_relaxed);
  Team& serial = region_of(1);
  EXPECT_NE(&serial, &wide);
  EXPECT_EQ(wide.count, 3);
  EXPECT_EQ(&region_of(3), &wide);
  EXPECT_EQ(&region_of(1), &serial);
  EXPECT_EQ(&region_of(3), &wide);
  EXPECT_EQ(wide.region.load(std::memory_order_relaxed), region + 2); // nobody was parked
}

TEST(Region, ATeamOfAnotherSizeIsParkedOnce) {
  Team& team = region_of(3);
  for (unsigned threads : {2, 5, 3}) {
    uint64_t region = team.region.load(std::memory_order_relaxed);
    EXPECT_EQ(&region_of(threads), &team);
    EXPECT_EQ(team.region.load(std::memory_order_relaxed), region + 2);
  }
}

/// What a body is called with where its argument is carried: as many words as there are.
struct Carried {
  std::atomic<uint64_t>* copies; ///< a bit for each member that has words of its own
  const void* original;
  uintptr_t first, second;
};
static_assert(sizeof(Carried) == kCarriedWords * sizeof(void*));

void look_at_carried(void* argument) {
  auto& words = *static_cast<Carried*>(argument);
  auto& member = static_cast<Member&>(*self);
  EXPECT_EQ(words.first + 1, words.second);
  EXPECT_EQ(argument == words.original, member.id == 0) << "member " << member.id;
  EXPECT_EQ(argument == member.start.carried, member.id != 0) << "member " << member.id;
  words.copies->fetch_or(uint64_t{1} << member.id, std::memory_order_relaxed);
  words.first = 0; // its own: nobody else's is changed
}

TEST(Region, EachMemberGetsACopyOfCarriedWords) {
  for (unsigned threads : {1, 2, 7}) {
    for (unsigned bind : {0u, unsigned{kBindSpread}, unsigned{kBindClose} | kHereOnly}) {
      std::atomic<uint64_t> copies{0};
      Carried words{&copies, &words, 10 * threads, 10 * threads + 1};
      run_parallel(look_at_carried, &words, threads, bind, carry, &words);
      EXPECT_EQ(copies.load(std::memory_order_relaxed), (uint64_t{1} << threads) - 1);
      region_of(threads); // one whose argument is where it was
    }
  }
}

TEST(Region, AWideRegionInsideASerialOneUsesTheIdleTeam) {
  Team& wide = region_of(2);
  struct Inner {
    Team* team = nullptr;
  } inner;
  auto nest = [](void* argument) { static_cast<Inner*>(argument)->team = &region_of(2); };
  parallel(nest, &inner, 1, 0);
  EXPECT_EQ(inner.team, &wide);
}

// Naive version: who looks for the tasks of others that have none makes room for what it finds.
TEST(Region, WithoutTasksNobodyReservesAStackForThem) {
  auto busy = [](void*) {
    int64_t end = sys::nanoseconds() + 5'000'000; // the other one looks for tasks meanwhile
    while (static_cast<Member&>(*self).id == 0 && sys::nanoseconds() < end)
      ;
  };
  Team& team = region_of(2);
  parallel(busy, nullptr, 2, 0);
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(team.members[i]->stack.first, nullptr);
}

void creating_body(void* argument) {
  body(argument);
  TaskSpec spec{};
  spec.body = [](void*) {};
  spec.align = 1;
  spec.deferrable = true;
  create_task(me(), spec);
}

Team& region_with_tasks(unsigned threads) {
  Seen seen;
  parallel(creating_body, &seen, threads, 0);
  return *seen.team;
}

/// How many members others would look at.
int count_in_use(const Team& team) {
  int count = 0;
  team.stacks_in_use.visit_from(0, [&](int) { return ++count < 0; });
  return count;
}

TEST(Region, WhoseStacksAreInUseIsForgottenByALargeTeamAndByOneOfAnotherSize) {
  constexpr unsigned kLarge = TaskTeam::kManyStacks + 1;
  Team& team = region_with_tasks(kLarge);
  EXPECT_EQ(count_in_use(team), static_cast<int>(kLarge));
  EXPECT_EQ(&region_of(kLarge), &team);
  EXPECT_EQ(count_in_use(team), 0);
  region_with_tasks(kLarge);
  EXPECT_EQ(&region_with_tasks(4), &team);
  EXPECT_EQ(count_in_use(team), 4);
  EXPECT_EQ(&region_of(4), &team);
  EXPECT_EQ(count_in_use(team), 4) << "its members go on with open fast paths";
  EXPECT_EQ(&region_of(2), &team);
  EXPECT_EQ(count_in_use(team), 0);
}

} // namespace
} // namespace xomp
