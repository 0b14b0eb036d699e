// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long a worker spins or yields before it sleeps, and what it learns from that.
#include "task/spin_policy.h"

#include "task/pause_policy.h"

#include <gtest/gtest.h>
#include <sched.h>

namespace xomp {
namespace {

/// Loses its processor only where the test says so.
template <class Policy> struct Sleeping : Policy {
  using Policy::watch;
  explicit Sleeping(Worker& worker, int64_t lost = INT64_MAX) : Policy(worker) {
    watch.lost = lost;
  }
  /// As if it had slept for as long as so many rounds take.
  void sleep_for(int64_t rounds) {
    this->sleeps();
    this->wakes();
    this->rounds_asleep += rounds;
  }
};
using Undisturbed = Sleeping<SpinPolicy>;

class SpinPolicyTest : public testing::Test {
protected:
  void SetUp() override {
    settings.spin_adapts = true;
    worker.task_team = &team;
    settings.spin_count = 8000;
  }
  void TearDown() override {
    settings.spin_adapts = adapts;
    settings.yields = yields;
    settings.spin_count = count;
  }

  template <class Policy> int64_t rounds_until_sleep(Policy& spin_policy) {
    int64_t rounds = 0;
    while (spin_policy.spin())
      ++rounds;
    return rounds;
  }
  static constexpr int64_t kForLong = 1'000'000'000; ///< rounds
  /// A wait that spins until it has to sleep, sleeps once and is over; how long it spun.
  int64_t sleeping_wait(int64_t asleep = kForLong) {
    Undisturbed spin_policy(worker);
    int64_t rounds = rounds_until_sleep(spin_policy);
    spin_policy.sleep_for(asleep);
    return rounds;
  }
  /// A wait that is over after `rounds`.
  void spinning_wait(int64_t rounds) {
    Undisturbed spin_policy(worker);
    for (int64_t i = 0; i < rounds; ++i)
      ASSERT_TRUE(spin_policy.spin());
  }

  TaskTeam team;
  Worker worker;

private:
  bool adapts = settings.spin_adapts, yields = settings.yields;
  int64_t count = settings.spin_count;
};

class CrowdedSpinPolicyTest : public SpinPolicyTest {
protected:
  void SetUp() override {
    SpinPolicyTest::SetUp();
    settings.yields = true;
    team.crowded = true;
    worker.spin_history.yield_limit = 4 * Yielding::kLeastTicks;
    // Other programs that do compute here, beside the test, are not seen: too few of the team are
    // awake to judge by.
    worker.count = kThreads;
    for (int i = 0; i < kThreads; ++i)
      team.external_load.falls_asleep();
  }
  /// Other programs are seen.
  void load() {
    for (int i = 0; i < kThreads; ++i)
      team.external_load.wakes();
    auto none = [] { return int64_t{0}; };
    for (int64_t now : {ExternalLoad::kStale, ExternalLoad::kStale + ExternalLoad::kWindow,
                        ExternalLoad::kStale + 2 * ExternalLoad::kWindow})
      team.external_load.look([=] { return now; }, none, kThreads, 2);
  }
  int64_t limit() const { return worker.spin_history.yield_limit; }

  static constexpr int kThreads = 4;
};

TEST_F(SpinPolicyTest, KeepsToTheLetterOfALimitThatTheUserGave) {
  settings.spin_adapts = false;
  for (int64_t count : {0, 1, 17, 5000}) {
    settings.spin_count = count;
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(sleeping_wait(), count);
  }
}

TEST_F(SpinPolicyTest, HalvesTheLimitWhenItHadToSleep) {
  constexpr int64_t kLeast = SpinPolicy::kLeastLearnt;
  settings.spin_count = 8 * kLeast;
  worker.spin_history.spin_limit = 8 * kLeast;
  for (int64_t times : {8, 4, 2, 1, 1, 1})
    EXPECT_EQ(sleeping_wait(), times * kLeast);
}

TEST_F(SpinPolicyTest, AllowsTwiceWhatAWaitTookThatSleptTooSoon) {
  constexpr int64_t kLeast = SpinPolicy::kLeastLearnt;
  settings.spin_count = 10 * kLeast;
  worker.spin_history.spin_limit = kLeast;
  EXPECT_EQ(sleeping_wait(kLeast), kLeast);
  int64_t limit = worker.spin_history.spin_limit;
  EXPECT_GE(limit, 4 * kLeast);
  EXPECT_LT(limit, 9 * kLeast);
  EXPECT_EQ(sleeping_wait(2 * kLeast), limit);
  EXPECT_EQ(worker.spin_history.spin_limit, 10 * kLeast) << "never more than is ever worth it";
}

TEST_F(SpinPolicyTest, NeverSpinsLongerThanTheTeamAllows) {
  worker.spin_history.spin_limit = 1000;
  settings.spin_count = 100;
  EXPECT_EQ(sleeping_wait(), 100);
  settings.spin_count = 0;
  EXPECT_EQ(sleeping_wait(), 0);
}

TEST_F(SpinPolicyTest, CountsItsSleeps) {
  for (int i = 0; i < 3; ++i)
    sleeping_wait();
  EXPECT_EQ(worker.counters.sleeps, 3);
}

TEST_F(SpinPolicyTest, StartsAgainWhenThereWasSomethingToDo) {
  worker.spin_history.spin_limit = 300;
  Undisturbed spin_policy(worker);
  for (int i = 0; i < 299; ++i)
    ASSERT_TRUE(spin_policy.spin());
  spin_policy.renew();
  EXPECT_EQ(rounds_until_sleep(spin_policy), 300);
}

TEST_F(SpinPolicyTest, AllowsTwiceWhatASuccessfulSpinTook) {
  worker.spin_history.spin_limit = 400;
  spinning_wait(350);
  EXPECT_EQ(sleeping_wait(), 700);
}

// Of a wait that contains the wake-ups of others, who wait for this one: it must not sleep too.
TEST_F(SpinPolicyTest, TheShortestLimitIsLongerThanAWakeUp) {
  for (int i = 0; i < 50; ++i)
    sleeping_wait();
  auto begin = sys::nanoseconds();
  sleeping_wait();
  EXPECT_GE(sys::nanoseconds() - begin, 10'000);
  EXPECT_EQ(worker.spin_history.spin_limit, SpinPolicy::kLeastLearnt);
}

TEST_F(SpinPolicyTest, LastsNowAndThenHoweverManyRoundsPassBetweenTheQuestions) {
  settings.spin_adapts = false;
  settings.spin_count = 10 * SpinPolicy::kLasting;
  SpinPolicy spin_policy(worker);
  int lasted = 0;
  for (int64_t i = 0; i < 3 * SpinPolicy::kLasting + 50; ++i) {
    spin_policy.spin();
    if (i % 7 == 0)
      lasted += spin_policy.lasts();
  }
  EXPECT_EQ(lasted, 3);
  spin_policy.renew();
  EXPECT_FALSE(spin_policy.lasts());
}

/// Whoever ends the worker's waits runs on its own processor, as where another program has the
/// other one.
class SharedProcessorTest : public SpinPolicyTest {
protected:
  int64_t shared_wait() {
    cpu_set_t here;
    CPU_ZERO(&here);
    CPU_SET(sched_getcpu(), &here);
    EXPECT_EQ(sched_setaffinity(0, sizeof here, &here), 0);
    Sleeping<SpinPolicy> spin_policy(worker);
    return shared_wait(spin_policy);
  }
  template <class Policy> int64_t shared_wait(Policy& spin_policy) {
    int64_t rounds = rounds_until_sleep(spin_policy);
    worker.bell.prepare();
    worker.bell.ring(); // so that it returns at once
    spin_policy.sleep();
    return rounds;
  }
  /// Of one wait in which there is something to do now and then, until the first that is long.
  template <class Policy> uint32_t short_ones_after_the_first() {
    worker.short_spins = {};
    shared_wait(); // its processor is one of the test's
    worker.short_spins = {};
    Sleeping<Policy> spin_policy(worker);
    spin_policy.renew(); // for a pause, that there are tasks
    shared_wait(spin_policy);
    for (uint32_t i = 0;; ++i) {
      spin_policy.renew();
      if (shared_wait(spin_policy) > SpinPolicy::kInTheWay)
        return i;
    }
  }
  void SetUp() override {
    SpinPolicyTest::SetUp();
    sched_getaffinity(0, sizeof before, &before);
  }
  void TearDown() override {
    sched_setaffinity(0, sizeof before, &before);
    SpinPolicyTest::TearDown();
  }
  cpu_set_t before;
};

TEST_F(SharedProcessorTest, ItHardlySpinsInTheNextWaits) {
  EXPECT_GE(shared_wait(), SpinPolicy::kLeastLearnt);
  for (uint32_t i = 0; i < ShortSpins::kFewest; ++i)
    EXPECT_EQ(shared_wait(), SpinPolicy::kInTheWay);
  EXPECT_GT(shared_wait(), SpinPolicy::kInTheWay) << "whether it still is so";
}

TEST_F(SharedProcessorTest, SoItIsFromTaskToTaskOfOneWait) {
  EXPECT_EQ(short_ones_after_the_first<SpinPolicy>(), ShortSpins::kFewest);
  EXPECT_EQ(short_ones_after_the_first<PausePolicy>(), ShortSpins::kFewest);
}

TEST_F(SharedProcessorTest, TheyAreTwiceAsManyEachTime) {
  constexpr int kWaits = 20'000;
  int64_t rounds = 0;
  for (int i = 0; i < kWaits; ++i)
    rounds += shared_wait();
  EXPECT_LT(rounds / kWaits, SpinPolicy::kInTheWay * 6 / 5);
  EXPECT_EQ(worker.short_spins.next, ShortSpins::kMost);
}

TEST_F(SharedProcessorTest, WaitsThatAreOverWhileItSpinsMakeThemFewerAgain) {
  for (int i = 0; i < 300; ++i)
    shared_wait();
  worker.short_spins.left = 0;
  for (int i = 0; i < 300; ++i) {
    worker.short_spins.left = 0;
    Sleeping<SpinPolicy> spin_policy(worker);
    for (int64_t round = 0; round <= SpinPolicy::kInTheWay; ++round)
      spin_policy.spin();
  }
  EXPECT_LT(worker.short_spins.next, ShortSpins::kMost);
}

/// Of pauses between regions.
class PauseTest : public SpinPolicyTest {
protected:
  /// Whether the worker is awake when it is over.
  bool pause(int64_t rounds) {
    Sleeping<PausePolicy> spin_policy(worker);
    int64_t spun = 0;
    while (spun < rounds && spin_policy.spin())
      ++spun;
    all_spun += spun;
    if (spun == rounds)
      return true;
    spin_policy.sleep_for(rounds - spun);
    return false;
  }
  /// For some short pauses in a row.
  bool learns_to_be_awake() {
    constexpr int kInARow = 4, kMost = 20'000;
    int awake = 0;
    for (int i = 0; i < kMost && awake < kInARow; ++i)
      awake = pause(kShort) ? awake + 1 : 0;
    return awake == kInARow;
  }
  /// In the middle of a short pause for which it would have been awake.
  void lose_processor() {
    ASSERT_TRUE(learns_to_be_awake());
    {
      constexpr int64_t kAway = 1000 * SpinPolicy::kTicksOfRound;
      Sleeping<PausePolicy> spin_policy(worker);
      for (int64_t spun = 0; spun < PausePolicy::kShortProbe + 10; ++spun)
        ASSERT_TRUE(spin_policy.spin());
      spin_policy.watch.lost = kAway;
      for (int64_t end = sys::ticks() + kAway; sys::ticks() < end;)
        ;
      spin_policy.spin();
      EXPECT_FALSE(spin_policy.spin());
    }
    EXPECT_EQ(worker.pauses.spin_limit, PausePolicy::kInTheWay);
  }
  int64_t all_spun = 0;

  static constexpr int64_t kShort = 3 * 8000, kLong = 100 * 8000; // spin_count is 8000
};

TEST_F(PauseTest, ShortOnesThatComeAgainAndAgainAreWaitedForAwake) {
  EXPECT_TRUE(learns_to_be_awake());
}

TEST_F(PauseTest, AfterLongOnesTheyAreFoundOutAgain) {
  for (int i = 0; i < 5000; ++i)
    pause(kLong);
  EXPECT_TRUE(learns_to_be_awake());
}

TEST_F(PauseTest, LongOnesCostLittle) {
  constexpr int kPauses = 5000;
  for (int i = 0; i < kPauses; ++i)
    EXPECT_FALSE(pause(kLong));
  // The shortest limit, and a usual probe for every sixteen; the long ones hardly count.
  EXPECT_LT(all_spun / kPauses,
            PausePolicy::kInTheWay + PausePolicy::kShortProbe / PausePolicy::kShortProbeEvery + 50);
}

TEST_F(PauseTest, WithMoreThreadsThanProcessorsNobodyWaitsSoLong) {
  team.crowded = true;
  for (int i = 0; i < 200; ++i)
    EXPECT_FALSE(pause(kShort));
}

TEST_F(PauseTest, WhoLosesItsProcessorStepsAside) {
  lose_processor();
  for (uint32_t i = 1; i < worker.pauses.long_probes_every; ++i)
    EXPECT_FALSE(pause(kShort));
  EXPECT_TRUE(learns_to_be_awake());
}

TEST_F(PauseTest, WhoLosesItAgainAndAgainStaysAside) {
  for (int i = 0; i < 30; ++i)
    lose_processor();
  EXPECT_EQ(worker.pauses.long_probes_every, PausePolicy::kMostBetweenLongProbes);
}

TEST_F(PauseTest, TheUsersLimitIsKept) {
  settings.spin_adapts = false;
  for (int i = 0; i < 200; ++i)
    EXPECT_FALSE(pause(kShort));
}

TEST_F(PauseTest, AfterATaskItIsAWaitForTasks) {
  for (int i = 0; i < 200; ++i)
    pause(kLong);
  for (uint32_t i = 0; i < PausePolicy::kShortProbeEvery; ++i) {
    Sleeping<PausePolicy> spin_policy(worker);
    if (rounds_until_sleep(spin_policy) > PausePolicy::kInTheWay)
      continue; // a probe
    spin_policy.renew();
    EXPECT_GE(rounds_until_sleep(spin_policy), SpinPolicy::kLeastLearnt);
  }
}

TEST_F(SpinPolicyTest, AllowsTwiceWhatTheSpinBeforeSomethingToDoTook) {
  worker.spin_history.spin_limit = 400;
  {
    Undisturbed spin_policy(worker);
    for (int i = 0; i < 300; ++i)
      ASSERT_TRUE(spin_policy.spin());
    spin_policy.renew();
  }
  EXPECT_EQ(sleeping_wait(), 600);
}

TEST_F(SpinPolicyTest, LearnsNothingFromWaitsThatWereOverAtOnce) {
  worker.spin_history.spin_limit = 400;
  for (int i = 0; i < 10; ++i)
    spinning_wait(3);
  EXPECT_EQ(sleeping_wait(), 400);
}

TEST_F(CrowdedSpinPolicyTest, GivesItsProcessorAwayBeforeItSleeps) {
  EXPECT_GT(sleeping_wait(), SpinPolicy::kCrowdedSpins);
  EXPECT_EQ(worker.spin_history.spin_limit,
            SpinHistory{}.spin_limit); // nothing learnt about spinning
}

TEST_F(CrowdedSpinPolicyTest, YieldsForAboutAsLongAsTheLimitSays) {
  int64_t begin = sys::ticks();
  sleeping_wait();
  EXPECT_GT(sys::ticks() - begin, 4 * Yielding::kLeastTicks);
}

TEST_F(CrowdedSpinPolicyTest, HalvesTheLimitWhenItHadToSleep) {
  for (int64_t expected : {2, 1, 1}) {
    sleeping_wait();
    EXPECT_EQ(limit(), expected * Yielding::kLeastTicks);
  }
}

TEST_F(CrowdedSpinPolicyTest, AllowsTwiceWhatASuccessfulWaitTook) {
  int64_t took = 0; // at least; a yield that another program made long is not counted
  {
    SpinPolicy spin_policy(worker);
    for (int64_t i = 0; i <= SpinPolicy::kCrowdedSpins; ++i)
      ASSERT_TRUE(spin_policy.spin());
    int64_t last = sys::ticks(), passed = 0;
    while (passed < 3 * Yielding::kLeastTicks && spin_policy.spin()) {
      took = passed; // what the worker saw at the begin of this round
      int64_t now = sys::ticks();
      if (now - last <= Yielding::kLong)
        passed += now - last;
      last = now;
    }
  }
  EXPECT_GE(limit(), std::min(2 * took, Yielding::kMost));
  EXPECT_LE(limit(), Yielding::kMost);
}

TEST_F(CrowdedSpinPolicyTest, LearnsNothingFromWaitsThatWereOverBeforeTheFirstYield) {
  spinning_wait(SpinPolicy::kCrowdedSpins);
  EXPECT_EQ(limit(), 4 * Yielding::kLeastTicks);
}

TEST_F(CrowdedSpinPolicyTest, SpinsAndSleepsWhereYieldingIsOff) {
  settings.yields = false;
  settings.spin_count = 100;
  EXPECT_EQ(sleeping_wait(), 100);
  EXPECT_EQ(limit(), 4 * Yielding::kLeastTicks);
}

// A wait of yields that take so long each, from a clock of its own.
struct Yields {
  bool external_load = false;
  int64_t now = 1000;
  int count = 0;
  void go_on(Yielding& yielding, int64_t each, int most) {
    for (int i = 0; i < most && yielding.more(now, external_load); ++i, ++count) {
      now += each;
      yielding.yielded(each);
    }
  }
};

TEST(YieldingTest, ShortOnesTakeTheTimeThatIsAllowed) {
  Yielding yielding(Yielding::kLeastTicks);
  Yields yields;
  yields.go_on(yielding, Yielding::kLeastTicks / 10, 100);
  EXPECT_EQ(yields.count, 11);
  EXPECT_EQ(yielding.took(yields.now), 11 * (Yielding::kLeastTicks / 10));
}

TEST(YieldingTest, TimeThatOthersComputedIsNotCounted) {
  Yielding yielding(Yielding::kLeastTicks);
  Yields yields;
  yields.go_on(yielding, Yielding::kLong + 1, Yielding::kMostLong - 1);
  EXPECT_EQ(yields.count, Yielding::kMostLong - 1);
  yields.go_on(yielding, Yielding::kLeastTicks / 10, 100);
  EXPECT_EQ(yields.count, Yielding::kMostLong - 1 + 11);
  EXPECT_EQ(yielding.took(yields.now), 11 * (Yielding::kLeastTicks / 10));
}

TEST(YieldingTest, EndsAfterAFewThatMetOthersWhoCompute) {
  Yielding yielding(Yielding::kMost);
  Yields yields;
  yields.go_on(yielding, 10 * Yielding::kMost, 100);
  EXPECT_EQ(yields.count, Yielding::kMostLong);
  yielding.renew();
  yields.go_on(yielding, 10 * Yielding::kMost, 100);
  EXPECT_EQ(yields.count, 2 * Yielding::kMostLong);
}

TEST(YieldingTest, EndsAfterOneThatMayHaveMetAnotherProgram) {
  Yielding yielding(Yielding::kMost);
  Yields yields{.external_load = true};
  yields.go_on(yielding, Yielding::kLeastTicks / 10, 3);
  yields.go_on(yielding, 10 * Yielding::kMost, 100);
  EXPECT_EQ(yields.count, 4);
}

TEST_F(CrowdedSpinPolicyTest, SleepsForAWhileAfterItMetAnotherProgram) {
  load();
  ASSERT_TRUE(team.external_load.present());
  worker.spin_history.waits_without_yield = 2;
  for (uint32_t left : {1, 0}) {
    EXPECT_EQ(sleeping_wait(), SpinPolicy::kCrowdedSpins);
    EXPECT_EQ(worker.spin_history.waits_without_yield, left);
    EXPECT_EQ(limit(), 4 * Yielding::kLeastTicks); // nothing learnt
  }
  EXPECT_GT(sleeping_wait(), SpinPolicy::kCrowdedSpins);
}

TEST_F(CrowdedSpinPolicyTest, YieldsAgainWhereTheOtherProgramsAreGone) {
  worker.spin_history.waits_without_yield = 2;
  EXPECT_GT(sleeping_wait(), SpinPolicy::kCrowdedSpins);
}

TEST_F(CrowdedSpinPolicyTest, LearnsEachKindOfWaitForItself) {
  SpinHistory other;
  {
    SpinPolicy spin_policy(worker, other);
    rounds_until_sleep(spin_policy);
    spin_policy.sleeps();
    spin_policy.wakes();
  }
  EXPECT_EQ(other.yield_limit, SpinHistory{}.yield_limit / 2);
  EXPECT_EQ(limit(), 4 * Yielding::kLeastTicks);
}

} // namespace
} // namespace xomp
