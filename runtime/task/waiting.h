// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loop of every wait that is a task scheduling point: run what may be run, spin, then sleep on the
// worker's bell (sys/README.md). Whoever can make `done` true rings the bell afterwards.
#pragma once
#include "sys/cpu.h"
#include "task/run.h"

namespace xomp {

/// `poll` returns true when the wait is over; it is called often and may do the waiter's own part of the
/// work. `root` and `scope`: as for `next_task`; `root` is asked for each time because it may come to be.
template <class Root, class Done>
void wait_until(Worker& worker, bool anything, Root root, Done done) {
  int64_t spins = 0;
  for (;;) {
    if (done()) return;
    Family* family = root();
    Scope scope{family, anything};
    if (DeferredTask* task = next_task(worker, family, scope)) {
      launch(worker, *task);
      spins = 0;
      continue;
    }
    if (++spins <= worker.tasks->spin_count) {
      sys::pause();
      continue;
    }
    worker.bell.prepare();
    if (done()) return worker.bell.cancel();
    if (DeferredTask* task = next_task(worker, family, scope)) {
      worker.bell.cancel();
      launch(worker, *task);
      spins = 0;
      continue;
    }
    worker.counters.sleeps++;
    worker.bell.sleep();
  }
}

/// Waits for `done` without running anything.
template <class Done> void wait_quietly(Worker& worker, Done done) {
  for (int64_t spins = 0; !done();) {
    if (++spins <= worker.tasks->spin_count) {
      sys::pause();
      continue;
    }
    worker.bell.prepare();
    if (done()) return worker.bell.cancel();
    worker.counters.sleeps++;
    worker.bell.sleep();
  }
}

/// A wait inside a task: only descendants of the current task may be started (task scheduling constraint,
/// OpenMP 5.2, section 12.9).
template <class Done> void wait_in_task(Worker& worker, Done done) {
  Task* task = worker.current;
  wait_until(worker, false, [=] { return task->family; }, done);
}

} // namespace xomp
