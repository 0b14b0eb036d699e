// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How often a wait looks in vain where most children cannot be started: a short look does not get
// past them, and the looks in vain before a thorough one must not be repeated for each child.
#include "task/wait_loop.h"

#include <gtest/gtest.h>

#include "task/create.h"
#include "task/environment.h"
#include "workers.h"

namespace xomp {
namespace {

int ran, vain, takes;

const Policy kNothing{.open = [](Port&) {},
                      .close = [](Port&) {},
                      .has_room = [](Port&) { return false; },
                      .put = [](Port&, DeferredTask*, bool) { return kNoRoom; },
                      .take = [](Port&, const Judge&) -> DeferredTask* { return nullptr; },
                      .shared = true,
                      .found_nothing = [](Port&, bool) { ++vain; }};

TEST(Waiting, ReadyChildrenBehindBusyOnesAreFoundWithOneThoroughLookEach) {
  constexpr int kBusy = 200, kReadyOnes = 50;
  constexpr int kSpins = 100; // before a look that overlooks nothing
  Workers workers{2};
  Worker& worker = workers[0];
  worker.policy = &kNothing;
  settings.spin_count = kSpins;
  FullFrame& full_frame = own_full_frame(worker);
  auto child = [&](uint32_t state) {
    DeferredTask& task = new_child(worker, full_frame, 8, 8);
    inherit_env(task.own_env, workers.env);
    task.body = [](void*) { ++ran; };
    task.state.store(state);
    add_ready(full_frame, task);
  };
  // The newest comes first.
  for (int i = 0; i < kReadyOnes; ++i)
    child(kReady);
  for (int i = 0; i < kBusy; ++i)
    child(kRunning);
  ran = vain = 0;
  wait_in_task(worker, [] { return ran == kReadyOnes; });
  EXPECT_EQ(ran, kReadyOnes);
  EXPECT_GT(vain, 0) << "a short look does not see the ready ones";
  EXPECT_LE(vain, 2 * kSpins) << "once, not for each";
  for (DeferredTask* each = full_frame.children.first; each; each = each->sibling)
    each->state.store(kDone);
}

/// A policy with one place for a task.
DeferredTask* kept;

const Policy kOne{.open = [](Port&) {},
                  .close = [](Port&) {},
                  .has_room = [](Port&) { return true; },
                  .put = [](Port& port, DeferredTask* task, bool) { return kept = task, port.id; },
                  .take = [](Port&, const Judge& judge) -> DeferredTask* {
                    ++takes;
                    bool taken = kept && judge(kept) == Verdict::kTake;
                    return taken ? std::exchange(kept, nullptr) : nullptr;
                  },
                  .shared = true};

class Looking : public testing::Test {
protected:
  void SetUp() override {
    settings.spin_adapts = false; // nobody sleeps, whatever becomes of the processor
    settings.spin_count = INT64_MAX;
    creator.policy = other.policy = &kOne;
    ran = takes = 0;
  }
  void TearDown() override { settings = before; }
  /// One that goes to the policy.
  void create() {
    TaskSpec spec{};
    spec.body = [](void*) { ++ran; };
    spec.align = 1;
    spec.deferrable = true;
    spec.flags = kTaskOutside;
    create_task(creator, spec);
  }
  /// A wait for a while in which anything may be started; no look is thorough.
  void wait_elsewhere() {
    act_in(other);
    Search search{Scope{Scope::kAnything}};
    int rounds = 0;
    wait_until(other, search, [&] { return ++rounds > 1000 || ran > 0; });
    act_in(creator);
  }

  const Settings before = settings;
  Workers workers{2};
  Worker &creator = workers[0], &other = workers[1];
};

TEST_F(Looking, IsNotDoneWhereNoTaskWasEverCreated) {
  wait_elsewhere();
  EXPECT_EQ(takes, 0);
}

TEST_F(Looking, BeginsWithTheFirstTaskThatGoesToThePolicy) {
  wait_elsewhere();
  create();
  EXPECT_EQ(ran, 0);
  wait_elsewhere();
  EXPECT_EQ(ran, 1);
  EXPECT_GT(takes, 0);
}

TEST_F(Looking, BeginsWithTheFirstTaskOnAStack) {
  wait_elsewhere();
  ASSERT_TRUE(lay_out_stack(creator));
  wait_elsewhere();
  EXPECT_GT(takes, 0);
}

TEST_F(Looking, BeforeASleepIsDoneWhateverIsKnown) {
  create();
  workers.team.has_tasks = false;
  Search search{Scope{Scope::kAnything}, nullptr, true};
  act_in(other);
  Found found = find(other, search);
  ASSERT_TRUE(found.task);
  launch(other, *found.task);
  EXPECT_EQ(ran, 1);
  act_in(creator);
}

} // namespace
} // namespace xomp
