// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How often a wait looks in vain where most children cannot be started: a short look does not get
// past them, and the looks in vain before a thorough one must not be repeated for each child.
#include "task/wait_loop.h"

#include <gtest/gtest.h>

#include "task/environment.h"
#include "task/full_frame.h"
#include "team/team.h"

namespace xomp {
namespace {

int ran, vain;

const Policy kNothing{.name = "nothing",
                      .open = [](Port&) {},
                      .close = [](Port&) {},
                      .has_room = [](Port&) { return false; },
                      .put = [](Port&, DeferredTask*, bool) { return kNoRoom; },
                      .take = [](Port&, const Judge&) -> DeferredTask* { return nullptr; },
                      .shared = true,
                      .found_nothing = [](Port&, bool) { ++vain; }};

TEST(Waiting, ReadyChildrenBehindBusyOnesAreFoundWithOneThoroughLookEach) {
  constexpr int kBusy = 200, kReadyOnes = 50;
  constexpr int kSpins = 100; // before a look that overlooks nothing
  TaskTeam team;
  Env env;
  Worker worker, other;
  Port* peers[2] = {&worker, &other};
  team.count = worker.count = other.count = 2;
  worker.policy = &kNothing;
  settings.spin_count = kSpins;
  other.id = 1;
  worker.env = &env;
  worker.tasks = &team;
  worker.peers = peers;
  act_in(worker);
  FullFrame& full_frame = own_full_frame(worker);
  auto child = [&](uint32_t state) {
    DeferredTask& task = new_child(worker, full_frame, 8, 8);
    inherit_env(task.own_env, env);
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
  if (leave_children(worker, full_frame))
    free_or_keep(worker, full_frame);
  free_all_full_frames(worker);
  free_stack(worker);
  worker.heap.end();
  act_in(stranger);
}

} // namespace
} // namespace xomp
