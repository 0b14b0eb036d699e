// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How often each piece of something that may be cancelled ran: at most once, and none is left when
// the construct has ended.
#pragma once
#include <atomic>
#include <cstddef>
#include <vector>

#include "failure.h"

namespace stress {

struct Runs {
  std::vector<std::atomic<int>> counts;
  std::atomic<int> running{0};
  explicit Runs(int n) : counts(static_cast<size_t>(n)) {}
  void enter(int i) {
    running.fetch_add(1);
    if (counts[static_cast<size_t>(i)].fetch_add(1) != 0)
      fail("a task or an iteration ran twice");
  }
  void leave() { running.fetch_sub(1); }
  void check() {
    if (running.load() != 0)
      fail("a cancelled construct ended before what had begun in it");
  }
  void check_all_ran() {
    check();
    for (auto& count : counts) {
      if (count.load() != 1)
        fail("an iteration of a construct that was not cancelled did not run");
    }
  }
};

} // namespace stress
