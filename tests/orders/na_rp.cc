// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sched/papers/na_rp.cc and what it stands on (thief.h, messaging.h, ring_matrix.h, sleepers.h,
// victims.h) under the C++ memory model: each task arrives once, complete, with whoever asked for
// it as well; nobody sleeps on for ever, and no gate stays closed.
#include "checked_std.h"

#include "balancing.h"
#include "sched/papers/na_rp.cc"

int main() {
  // Without acquire all would be well: who takes a task out of a ring opens a gate, by a fence,
  // before it looks at the task.
  constexpr int kRuns = 20000;
  using Test = HandOver<xomp::kNaRpPolicy>;
  bool good = verified_and_given<Test>("na-rp", kRuns);
  good &= refuted<Test>("na-rp without release", kRuns, {.release = true});
  good &= refuted<Test>("na-rp without fences", kRuns, {.fence = true});
  return good ? 0 : 1;
}
