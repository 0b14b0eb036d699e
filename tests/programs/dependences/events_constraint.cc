// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A successor released by omp_fulfill_event keeps to the task scheduling constraint, and is not
// stuck on the thread that fulfilled the event. Naive versions: the thread that fulfills runs the
// successors when its current task ends, or whoever sees them first keeps them; then a critical
// region is entered twice on one stack (a deadlock), or nobody who may run the successor sees it.
// xomp-test: schedulers=xqueue-ws,q,l,cq,ws,mts threads=1,2,4 timeout=60 compilers=gcc,clang
#include <omp.h>

#include <atomic>

#include "check.h"

namespace {

omp_event_handle_t events[64];

// A task releases a successor of another one by an event and waits for a child that only this
// successor can finish.
void stuck_on_the_fulfiller() {
  std::atomic<int> order{0};
  [[maybe_unused]] int x = 0;
  omp_event_handle_t first, last;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task detach(first) depend(out : x)
    order++;
    while (order == 0) {
#pragma omp taskyield
    }
#pragma omp task depend(in : x)
    omp_fulfill_event(last);
#pragma omp task
    {
      omp_event_handle_t event;
#pragma omp task detach(event)
      order++;
      last = event;
      omp_fulfill_event(first);
      // The successor does not descend from this task: the other thread has to run it.
#pragma omp taskwait
    }
  }
  CHECK(order == 2);
}

// Inside a critical region that is held across a taskwait, children fulfill events whose successors
// want the same critical region.
void not_inside_the_critical_region() {
  constexpr int n = 64;
  int cells[n] = {};
  int inside = 0, count = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < n; ++i) {
      omp_event_handle_t event;
#pragma omp task detach(event) depend(out : cells[i]) shared(cells)
      cells[i] = 1;
      events[i] = event;
#pragma omp task depend(in : cells[i]) shared(cells, inside, count)
#pragma omp critical(region)
      {
        CHECK(++inside == 1);
        count += cells[i];
        --inside;
      }
    }
#pragma omp taskgroup
    for (int i = 0; i < n; i += 8) {
#pragma omp task shared(inside)
#pragma omp critical(region)
      {
        CHECK(++inside == 1);
        for (int k = i; k < i + 8; ++k) {
#pragma omp task
          omp_fulfill_event(events[k]);
        }
#pragma omp taskwait
        --inside;
      }
    }
  }
  CHECK(count == n);
}

} // namespace

int main() {
  for (int i = 0; i < 200; ++i) {
    stuck_on_the_fulfiller();
    not_inside_the_critical_region();
  }
}
