// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A task that is discarded, its group being cancelled, ends the lives of its variables. What their
// destructors create in groups of their own is not cancelled. Naive version: all that is created
// while a task is being discarded is discarded.
// Tools hear nothing of a discarded task, and so of no task in which its destructors wait.
// xomp-test: threads=1,2,8 schedulers=auto,slb told=0 env=OMP_CANCELLATION=true compilers=clang
#include <omp.h>

#include <atomic>

#include "check.h"

namespace {

std::atomic<int> made, created, ran, ended;

struct Creator {
  Creator() { made++; }
  Creator(const Creator&) { made++; }
  ~Creator() {
    ended++;
#pragma omp taskgroup
    for (int i = 0; i < 4; ++i) {
      created++;
#pragma omp task
      ran++;
    }
  }
};

} // namespace

int main() {
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < 50; ++round) {
#pragma omp taskgroup
    for (int i = 0; i < 20; ++i) {
#pragma omp task
      {
        if (i == 3) {
#pragma omp cancel taskgroup
        }
      }
      Creator creator;
#pragma omp task firstprivate(creator)
      (void)creator;
    }
  }
  CHECK(made == ended && created == 4 * ended && ran == created);
}
