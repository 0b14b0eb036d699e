// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules of barriers, worksharing, locks, events and the trace, broken on purpose inside of a
// region: each is found where it stands. In builds whose runtime has assertions.
// Not under tsan, whose processes end where one that was forked with threads starts another.
// xomp-test: asserts=core skip=tsan
#include <gtest/gtest.h>

#include <cstring>
#include <utility>

#include "broken_rule.h"
#include "conf/settings.h"
#include "events/events.h"
#include "locks/locks.h"
#include "sys/inspection.h"
#include "target/host.h"
#include "team/barrier.h"
#include "team/barrier_kinds.h"
#include "team/constructs.h"
#include "team/region.h"
#include "trace/stream.h"
#include "trace/track.h"
#include "worksharing/active_members.h"
#include "worksharing/workshare.h"

namespace xomp {
namespace {

constexpr unsigned kThreads = 3;

/// Calls `act(member)` on the master of a region; the others wait at its end.
template <class Act> void in_region(Act act) {
  parallel(
      [](void* argument) {
        auto& member = static_cast<Member&>(*self);
        if (member.id == 0)
          (*static_cast<Act*>(argument))(member);
      },
      &act, kThreads, 0);
}

TEST(PlantedInTeam, ABarrierIsComeToByTheThreadItself) {
  in_region([](Member& member) {
    EXPECT_DEATH(plain_barrier(*member.team->members[1]),
                 broken("team/barrier.cc", "self == &member && member.count > 1"));
  });
}

TEST(PlantedInTeam, TheJoinIsTheMasters) {
  in_region([](Member& member) {
    EXPECT_DEATH(join(*member.team->members[1]),
                 broken("team/barrier.cc", "member.id == 0 && &member == member.team->members[0]"));
  });
}

TEST(PlantedInTeam, ATargetRegionEndsInItsOwnTeam) {
  in_region([](Member& member) {
    void* addresses[] = {&member};
    TargetRegion region{[](void* argument) { act_in(**static_cast<Member**>(argument)); },
                        1,
                        addresses,
                        nullptr,
                        nullptr,
                        nullptr};
    EXPECT_DEATH(target(member, region, {}, nullptr), broken("target/host.cc", "self == &initial"));
  });
}

TEST(PlantedInTeam, NobodyReportsOfRoundsToCome) {
  BarrierNode node;
  node.reports[0].store(9 << 1);
  EXPECT_DEATH((void)node.report_of(6), broken("team/team.h", "report >> 1 <= number + 1"));
}

TEST(PlantedInTeam, OnlyTheCentralBarrierCountsTasks) {
  if (settings.has_central_barrier())
    GTEST_SKIP();
  in_region([](Member& member) {
    member.inner.round = member.team->shared_inner.over.load() + 1;
    EXPECT_DEATH(central_poll(member, &Member::inner),
                 broken("team/barrier_central.cc", "settings.has_central_barrier()"));
    member.inner.round -= 1;
  });
}

TEST(PlantedInWorksharing, OnlyAnActiveMemberCeasesToBe) {
  in_region([](Member& member) {
    WorkShare share;
    EXPECT_DEATH(
        cease_active(member, share),
        broken("worksharing/active_members.cc",
               "member.chunks.active && share.active.load(std::memory_order_relaxed) > 0"));
  });
}

TEST(PlantedInWorksharing, WhoEndsACopyHasBegunOne) {
  in_region([](Member& member) {
    EXPECT_DEATH(end_copying(member),
                 broken("worksharing/single.cc",
                        "member.team->copying.load(std::memory_order_relaxed) > 0"));
  });
}

TEST(PlantedInWorksharing, AConstructIsOpenedOnce) {
  in_region([](Member& member) {
    WorkShare share;
    share.open.store(true);
    WorkShare* before = std::exchange(member.workshare, &share);
    EXPECT_DEATH(open_construct(member), broken("worksharing/workshare.cc",
                                                "!member.workshare->open.load(std::memory_order_"
                                                "relaxed)"));
    member.workshare = before;
  });
}

/// A track of this thread. Each test dies in a process of its own, whose thread has another number
/// and takes the track over first.
class PlantedInEvents : public testing::Test {
protected:
  trace::Track& own = trace::take_track(true);
  trace::TaskTrace task;
  void TearDown() override { trace::return_track(own); }
  void take_over() { own.kernel_thread = static_cast<uint32_t>(sys::kernel_thread_id()); }
};

TEST_F(PlantedInEvents, NobodyTellsOfAnotherThread) {
  auto another = [&] {
    take_over();
    own.kernel_thread += 1;
  };
  EXPECT_DEATH((another(), trace::task_created(own, task, nullptr, 0, 0, 0)),
               broken("events/events.h", "track.is_own()"));
  trace::WorkTrace work;
  EXPECT_DEATH((another(), trace::single_met(own, work, true, nullptr)),
               broken("events/events.cc", "track.is_own()"));
  EXPECT_DEATH((another(), trace::return_track(own)), broken("trace/track.cc", "track.is_own()"));
}

TEST_F(PlantedInEvents, ATaskBeginsOnceAndEndsAsTheCurrentOne) {
  EXPECT_DEATH((take_over(), trace::task_ends(own, task)),
               broken("events/events.h", "track.is_own() && track.current == &task"));
  trace::task_begins(own, task);
  EXPECT_DEATH((take_over(), trace::task_begins(own, task)),
               broken("events/events.h", "track.is_own() && track.current != &task"));
  trace::task_ends(own, task);
}

TEST_F(PlantedInEvents, AFreeNestableLockIsNotCounted) {
  NestLock lock;
  int32_t one = 1;
  std::memcpy(reinterpret_cast<char*>(&lock) + sizeof(Mutex), &one, sizeof one); // its count
  trace::Track* before = std::exchange(me().track, &own);
  trace::listen(trace::kRecorder);
  EXPECT_DEATH((take_over(), lock.lock(&lock)),
               "locks/locks.cc:[0-9]+: .*count == 0.*in own_traced");
  trace::stop_listening(trace::kRecorder);
  me().track = before;
}

} // namespace
} // namespace xomp
