// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sys/reads.h under the C++ memory model: what has been taken out of a reader's reach is freed only
// when nobody reads it any more.
#include "checked_std.h"

#include "sys/reads.h"

namespace {

constexpr int kReaders = 2, kRounds = 2;

struct Freed : rl::test_suite<Freed, kReaders + 1> {
  struct Item {
    rl::var<int> content;
  };
  Item items[2];
  std::atomic<int> reached{0};
  xomp::sys::Reads reads[kReaders];

  void before() { items[0].content(RL_INFO) = items[1].content(RL_INFO) = 1; }
  void thread(unsigned index) {
    if (index < kReaders) {
      for (int i = 0; i < kRounds; ++i) {
        reads[index].begin();
        RL_ASSERT(items[reached.load(std::memory_order_acquire)].content(RL_INFO) == 1);
        reads[index].end();
      }
      return;
    }
    reached.store(1, std::memory_order_release);
    xomp::sys::heavy_fence();
    for (const xomp::sys::Reads& each : reads) {
      if (!each.are_over())
        return;
    }
    items[0].content(RL_INFO) = 2;
  }
};

} // namespace

int main() {
  constexpr int kRuns = 200000;
  bool good = verified<Freed>("reads", kRuns);
  good &= refuted<Freed>("reads without fences", kRuns, {.fence = true});
  good &= refuted<Freed>("reads without release", kRuns, {.release = true});
  good &= refuted<Freed>("reads without acquire", kRuns, {.acquire = true});
  return good ? 0 : 1;
}
