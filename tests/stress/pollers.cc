// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A task that polls for what its creator does next, or for what a task created later does, returns
// only if another thread begins it. The specification allows a runtime to run it at once all the
// same, and then the program stands still; but programs are written so. What a runtime should keep
// to: while some thread of the team has had nothing to do for a while, the next task is begun by
// such a thread within a bounded time, whatever the tasks before it were like.
//
// A poll gives up after a while, and the thread that was to be idle may have lost its processor
// just then; so one task that nobody begins is no failure, several in turn are.
#include <omp.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>

#include "failure.h"
#include "scenes.h"

namespace stress {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kPatience = std::chrono::seconds(5);
constexpr int kTries = 3;
constexpr int kMostTasks = 8;

/// Whether `flag` was set in time.
bool poll(const std::atomic<bool>& flag) {
  auto limit = Clock::now() + kPatience;
  for (int i = 0; !flag.load(); ++i) {
    if (Clock::now() > limit)
      return false;
    if (i % 16 == 15)
      usleep(100);
    else
      sched_yield();
  }
  return true;
}

/// Small tasks, as they come before one that matters.
void create_small_tasks(Key key) {
  static std::atomic<long> work{0};
  int count = draw(key, 1, 3) ? draw(key, 2, 50) : draw(key, 3, 20000);
  bool gather = draw(key, 4, 2);
  for (int i = 0; i < count; ++i) {
#pragma omp task
    work.fetch_add(1, std::memory_order_relaxed);
    if (gather && i % 64 == 63) {
#pragma omp taskwait
    }
  }
  if (gather) {
#pragma omp taskwait
  }
}

/// The other threads have had nothing to do for some time: more than a moment at the first try,
/// and long enough for a busy machine at the last.
void let_others_rest(int attempt) { usleep(attempt == 0 ? 3000 : attempt == 1 ? 30000 : 300000); }

/// Tasks that wait for their creator, each of which is begun before the next one is created. There
/// are no more of them than idle threads.
bool wait_for_creator(int tasks) {
  std::atomic<bool> begun[kMostTasks] = {}, flag{false};
  std::atomic<int> given_up{0};
  bool all_begun = true;
  for (int i = 0; i < tasks && all_begun && given_up.load() == 0; ++i) {
#pragma omp task shared(begun, flag, given_up)
    {
      begun[i].store(true);
      given_up.fetch_add(!poll(flag));
    }
    all_begun = poll(begun[i]);
  }
  flag.store(true);
#pragma omp taskwait
  return all_begun && given_up.load() == 0;
}

/// Tasks each of which waits for the next one, created later, and the last for its creator.
bool wait_for_sibling(int tasks) {
  std::atomic<bool> begun[kMostTasks + 1] = {};
  std::atomic<int> given_up{0};
  bool all_begun = true;
  for (int i = 0; i < tasks && all_begun && given_up.load() == 0; ++i) {
#pragma omp task shared(begun, given_up)
    {
      begun[i].store(true);
      given_up.fetch_add(!poll(begun[i + 1]));
    }
    all_begun = poll(begun[i]);
  }
  for (auto& each : begun)
    each.store(true);
#pragma omp taskwait
  return all_begun && given_up.load() == 0;
}

/// The same with tasks that other tasks wait for in the specification's own terms.
bool wait_with_successors(int successors) {
  std::atomic<bool> flag{false}, begun{false}, given_up{false};
  std::atomic<int> after{0};
  [[maybe_unused]] char order;
#pragma omp task depend(out : order) shared(begun, flag, given_up)
  {
    begun.store(true);
    given_up.store(!poll(flag));
  }
  bool in_time = poll(begun);
  for (int i = 0; i < successors; ++i) {
#pragma omp task depend(in : order) shared(after)
    after.fetch_add(1);
  }
  flag.store(true);
#pragma omp taskwait
  if (after.load() != successors)
    fail("a taskwait ended before successors of a task that polls");
  return in_time && !given_up.load();
}

bool attempt_once(Key key, int attempt, int threads) {
  create_small_tasks(child_key(key, attempt));
  let_others_rest(attempt);
  int tasks = 1 + draw(key, 5, std::min(threads - 1, kMostTasks));
  switch (draw(key, 6, 3)) {
  case 0:
    return wait_for_creator(tasks);
  case 1:
    return wait_for_sibling(tasks);
  default:
    return wait_with_successors(draw(key, 7, 4) ? draw(key, 8, 20) : draw(key, 9, 3000));
  }
}

} // namespace

void play_pollers(Key key, int threads) {
  threads = std::max(2, std::min(threads, 16));
#pragma omp parallel num_threads(threads)
#pragma omp single
  {
    bool good = omp_get_num_threads() < threads; // not on this machine, or a nested region
    for (int attempt = 0; !good && attempt < kTries; ++attempt)
      good = attempt_once(key, attempt, threads);
    if (!good)
      fail("no idle thread begins a new task while its creator goes on");
  }
}

} // namespace stress
