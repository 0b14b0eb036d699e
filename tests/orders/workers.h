// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The workers of a team without threads, regions and tasks, for the tests of what they say to each
// other. After checked_std.h.
#pragma once
#include "events/events.h"
#include "sched/sleepers.h"
#include "task/frame.h"
#include "task/steal.h"
#include "task/wait_loop.h"

namespace xomp {
constinit Settings settings;
constinit const Policy kSoloPolicy{};

// Nobody listens.
inline void trace::Stalling::falls_asleep(Track&) {}
inline void trace::Stalling::begin(Track&) {}
inline void trace::Stalling::end(Track&) {}
inline void trace::tasks_stolen(Track&, uint32_t, uint64_t, uint8_t) {}
inline void trace::tasks_requested(Track&, uint32_t, uint8_t) {}

// No task lies on a worker's stack.
inline void root_mark(void*) {}
inline void guest_mark(void*) {}
inline bool lay_out_stack(Worker&) { return false; }
Slot* end_frame(Worker& worker, Slot*, Slot*) { return worker.stack.top(); }
inline Slot* claim_own(Worker&, const Slot*) { return nullptr; }
inline Slot* claim_own_child(Worker&) { return nullptr; }
inline Slot* steal(Worker&, const Search&) { return nullptr; }
inline void run_stolen(Worker&, Slot*) {}
inline FullFrame* parent_of_stolen(Slot*) { return nullptr; }
inline FullFrame* nearest_full_frame(Slot*) { return nullptr; }

// No wait is for some tasks only.
void show_successors(Worker&) {}
DeferredTask* claim_wanted(Worker&, const Search&) { return nullptr; }
DeferredTask* claim_leading(Worker&, const Search&) { return nullptr; }
DeferredTask* claim_child(Worker&, FullFrame&, uint32_t) { return nullptr; }
bool has_ready(const FullFrame&) { return false; }

/// A wait in a barrier (`anything`) or inside a task.
template <class Done> void wait_until(Worker& worker, bool anything, Done done) {
  Search search{anything ? Scope{Scope::kAnything} : Scope::of(current_full_frame(worker))};
  wait_until(worker, search, done);
}
} // namespace xomp

template <int kWorkers> struct Workers {
  xomp::TaskTeam* team = nullptr;
  xomp::Worker* workers[kWorkers] = {};

  void start(const xomp::Policy& policy) {
    xomp::settings.spin_adapts = xomp::settings.yields = false;
    checked::sparingly = true;
    team = xomp::sys::create<xomp::TaskTeam>();
    team->sleepers.reserve(kWorkers);
    team->stacks_in_use.reserve(kWorkers);
    for (int i = 0; i < kWorkers; ++i) {
      xomp::Worker& worker = *(workers[i] = xomp::sys::create<xomp::Worker>());
      worker.id = i;
      worker.count = kWorkers;
      worker.peers = reinterpret_cast<xomp::Port* const*>(workers);
      worker.task_team = team;
      worker.policy = &policy;
      worker.sleepers = &team->sleepers;
      // First uses.
      worker.bell.cancel();
      worker.wake_word.store(0, std::memory_order_relaxed);
      team->sleepers.remove(i);
      worker.stack.head.store(&worker.ground + 1, std::memory_order_relaxed);
      worker.ground.link.store(0, std::memory_order_relaxed);
    }
    team->asleep.store(0, std::memory_order_relaxed);
    team->idle_workers.store(0, std::memory_order_relaxed);
    team->searchers.store(0, std::memory_order_relaxed);
    team->left_to_searchers.store(false, std::memory_order_relaxed);
    team->crowded.store(false, std::memory_order_relaxed);
    team->has_tasks.store(true, std::memory_order_relaxed);
    xomp::settings.spin_count = 0;
    checked::sparingly = false;
  }
  void end() {
    for (xomp::Worker* each : workers)
      xomp::sys::destroy(each);
    team->sleepers.end();
    team->stacks_in_use.end();
    xomp::sys::destroy(team);
  }
  void ring_all() {
    for (xomp::Worker* each : workers)
      each->bell.ring();
  }
};
