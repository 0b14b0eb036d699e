// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Children of fork use OpenMP like any process, whatever the parent's threads were doing, and the
// parent goes on as if nothing had happened. A child touches nothing of the program that another
// thread may hold.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "failure.h"
#include "kinds.h"
#include "scenes.h"

namespace stress {

namespace {

#ifdef __SANITIZE_THREAD__
constexpr bool kCanFork = false; // it cannot follow threads of a child
#else
constexpr bool kCanFork = true;
#endif
// The address sanitizer's allocator does not release its locks in a child, as the C library's does:
// one that another thread held at the fork stays held, and the child waits for it for ever.
#ifdef __SANITIZE_ADDRESS__
constexpr bool kChildrenMayHang = true;
constexpr int kChildSeconds = 10;
#else
constexpr bool kChildrenMayHang = false;
constexpr int kChildSeconds = 60;
#endif

long sum_by_tasks(int threads) {
  constexpr int kTasks = 200;
  long sum = 0;
  int order = 0;
#pragma omp parallel num_threads(threads)
  {
#pragma omp single
    {
      for (int i = 1; i <= kTasks; ++i) {
#pragma omp task shared(sum)
        __atomic_fetch_add(&sum, i, __ATOMIC_RELAXED);
      }
#pragma omp taskgroup
      for (int i = 1; i <= kTasks; ++i) {
#pragma omp task depend(inout : order) shared(sum, order)
        {
          __atomic_fetch_add(&sum, i, __ATOMIC_RELAXED);
          ++order;
        }
      }
    }
#pragma omp for schedule(dynamic) reduction(+ : sum)
    for (int i = 1; i <= kTasks; ++i)
      sum += i;
  }
  return order == kTasks ? sum - 3L * kTasks * (kTasks + 1) / 2 : -1;
}

[[noreturn]] void be_child(Key key) {
  bool good = sum_by_tasks(1 + draw(key, 1, 4)) == 0 && sum_by_tasks(1 + draw(key, 2, 6)) == 0;
  _exit(good ? 0 : 1);
}

/// Whether a child ended by itself, in time. An alarm of its own would be too late for one that
/// stands still before `fork` has returned to it.
bool ends(pid_t child, int& status) {
  auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(kChildSeconds);
  while (std::chrono::steady_clock::now() < deadline) {
    if (waitpid(child, &status, WNOHANG) == child)
      return true;
    usleep(1000);
  }
  kill(child, SIGKILL);
  while (waitpid(child, &status, 0) != child) {
  }
  return false;
}

void fork_once(Key key) {
  if (!kCanFork)
    return;
  pid_t child = fork();
  if (child == 0)
    be_child(key);
  if (child < 0)
    return; // not on this machine
  int status;
  if (!ends(child, status)) {
    if (!kChildrenMayHang)
      fail("a child of fork does not end");
  } else if (WIFSIGNALED(status)) {
    fail("a child of fork crashed");
  } else if (WEXITSTATUS(status) != 0) {
    fail("a child of fork computed something else");
  }
}

std::atomic<bool> stopping{false};
std::thread forker;

} // namespace

void play_forks(Key key, int threads) {
  threads = std::min(threads, 8);
  if (draw(key, 3, 2))
    fork_once(key);
  // From inside a region: the child has no other members, but may open regions of its own.
  long sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
  {
#pragma omp single nowait
    for (int i = 0; i < 50; ++i) {
#pragma omp task
      if (i == 25)
        fork_once(child_key(key, 1));
    }
    sum += 1;
  }
  if (sum < 1)
    fail("a region did not end well beside a fork");
  if (draw(key, 4, 2))
    fork_once(child_key(key, 2));
}

void start_forking() {
  if (!kCanFork || !drawn_at_all(kForks))
    return;
  forker = std::thread([] {
    for (Key key = 1; !stopping.load() && !has_failed(); key = mix(key)) {
      for (int i = draw(key, 5, 40); i >= 0 && !stopping.load(); --i)
        usleep(10000);
      if (!stopping.load())
        fork_once(key);
    }
  });
}

void stop_forking() {
  stopping.store(true);
  if (forker.joinable())
    forker.join();
}

} // namespace stress
