// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sched/papers/na_rp.cc and what it stands on (thief.h, messaging.h, ring_matrix.h, sleepers.h,
// victims.h) under the C++ memory model: each task arrives once, complete, with whoever asked for
// it as well; nobody sleeps on for ever, and no gate stays closed.
#include "checked_std.h"

#include "balancing.h"
#include "sched/papers/na_rp.cc"

namespace {

/// Worker 0 creates the first task for each of the others and itself. Whoever runs one has found
/// it, and creates another one in it, which goes to a thief if somebody has asked.
struct Redirect : Balancing<Redirect, xomp::kNaRpPolicy, 3, 6> {
  void thread(unsigned index) {
    int id = static_cast<int>(index);
    for (int n = 0; id == 0 && n < 3; ++n)
      create(id, n);
    wait(id);
  }
  void launch(xomp::Worker& worker, xomp::DeferredTask& task) override {
    int number = static_cast<Task&>(task).number;
    if (number < 3)
      create(worker.id, number + 3);
    run(task);
  }
};

} // namespace

int main() {
  // Without acquire all would be well: who takes a task out of a ring opens a gate, by a fence,
  // before it looks at the task.
  constexpr int kRuns = 20000;
  using Test = HandOver<xomp::kNaRpPolicy>;
  bool good = verified<Test>("na-rp", kRuns);
  good &= given == 0; // who only creates tasks answers nobody
  good &= refuted<Test>("na-rp without release", kRuns, {.release = true});
  good &= refuted<Test>("na-rp without fences", kRuns, {.fence = true});
  good &= verified_and_given<Redirect>("na-rp, tasks that create tasks", kRuns);
  good &= refuted<Redirect>("na-rp, tasks that create tasks, without release", kRuns,
                            {.release = true});
  good &=
      refuted<Redirect>("na-rp, tasks that create tasks, without fences", kRuns, {.fence = true});
  return good ? 0 : 1;
}
