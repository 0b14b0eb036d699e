// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A ready task is started by some idle thread although those that know of it wait in tasks from
// which it does not descend. Naive versions: a waiting worker keeps such tasks in its own queue, or
// a worker keeps what it made ready to itself; then nobody fulfills the event that it waits for.
// xomp-test: schedulers=xqueue-ws,q,l,cq,ws,mts threads=2,4 timeout=60 env=XOMP_QUEUE_SIZE=16 compilers=gcc,clang
#include <omp.h>

#include <atomic>

#include "check.h"

namespace {

// Fulfilled by whoever comes second, the one that has the handle or the one that is to fulfill it:
// a runtime may run the latter's task at once, when it is created.
struct Event {
  omp_event_handle_t handle;
  std::atomic<int> came{0};
  std::atomic<bool> begun{false};

  void tell(omp_event_handle_t event) {
    handle = event;
    fulfill();
  }
  void fulfill() {
    if (came.fetch_add(1) == 1)
      omp_fulfill_event(handle);
  }
};

// Waits for a child that only `event` finishes.
void wait_for(Event& event) {
  omp_event_handle_t handle;
#pragma omp task detach(handle) shared(event)
  event.begun = true; // gcc 12 loses the handle of a task without a body
  event.tell(handle);
#pragma omp taskwait
}

// `ahead` tasks turn the round robin, so that the one that matters lies in any of the queues.
void queued_before_the_wait(int ahead) {
  Event event;
  int done = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < ahead; ++i) {
#pragma omp task
      {
      }
    }
#pragma omp task
    event.fulfill();
#pragma omp task if (0) shared(done)
    {
      wait_for(event);
      done = 1;
    }
  }
  CHECK(done == 1);
}

// Long enough for the queues to be full while it runs.
void linger() {
  for (double end = omp_get_wtime() + 20e-6; omp_get_wtime() < end;) {
  }
}

struct Pair {
  Event events[2];
  std::atomic<int> arrived{0}, done{0};

  void run(int mine) {
    omp_event_handle_t handle;
#pragma omp task detach(handle) firstprivate(mine)
    events[mine].begun = true;
    events[mine].tell(handle);
    if (arrived.fetch_add(1) == 1) {
      events[0].fulfill();
      events[1].fulfill();
    }
#pragma omp taskwait
    done++;
  }
};

// Two successors of one task, each of which can finish only if both have begun. Whoever runs the
// first must not keep the second to itself, however full the queues are when they become ready.
void successors_of_one_task(int fill) {
  Pair pair;
  [[maybe_unused]] int x = 0;
#pragma omp parallel
#pragma omp single
  {
    omp_event_handle_t start;
#pragma omp task detach(start) depend(out : x)
    pair.done = 0;
#pragma omp task depend(inout : x)
    for (int i = 0; i < fill; ++i) {
#pragma omp task
      linger();
    }
    for (int i = 0; i < 2; ++i) {
#pragma omp task depend(in : x)
      pair.run(i);
    }
    omp_fulfill_event(start);
  }
  CHECK(pair.done == 2);
}

} // namespace

int main() {
  for (int round = 0; round < repeats(50); ++round) {
    for (int ahead = 0; ahead < 8; ++ahead)
      queued_before_the_wait(ahead);
    successors_of_one_task(0);
    successors_of_one_task(64);
  }
}
