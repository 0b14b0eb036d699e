// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loop of every wait that is a task scheduling point: run what may be run, spin, then sleep on
// the worker's bell (sys/README.md). Whoever can make `done` true rings the bell afterwards.
#pragma once
#include "task/patience.h"
#include "task/run.h"

namespace xomp {

/// Runs what may be run until `done`. `done` is called often and may do the waiter's own part of
/// the work. `anything`: as in Scope; the wait is a barrier's.
template <class Done> void wait_until(Worker& worker, bool anything, Done done) {
  if (done())
    return;
  Patience patience(worker);
  Search search;
  auto find = [&](bool pass_on) {
    Family* family = family_of_current(worker);
    search.scope = Scope{family, anything};
    search.pass_on = pass_on;
    DeferredTask* task = next_task(worker, family, search);
    if (!task)
      worker.appetite.grows(worker);
    return task;
  };
  auto run = [&](DeferredTask& task) {
    worker.bell.cancel();
    launch(worker, task);
    patience.renew();
  };
  do {
    if (DeferredTask* task = find(patience.lasts())) {
      run(*task);
      continue;
    }
    if (patience.spin())
      continue;
    worker.bell.prepare();
    if (done())
      return worker.bell.cancel();
    // Sequentially consistent: counted before the windows are lowered (see `learn`).
    worker.tasks->asleep.fetch_add(1, std::memory_order_seq_cst);
    worker.appetite.ask_all(worker);
    DeferredTask* task = find(true);
    if (!task)
      patience.sleep();
    // Relaxed: who sees it late does not raise a window for a little longer.
    worker.tasks->asleep.fetch_sub(1, std::memory_order_relaxed);
    if (task)
      run(*task);
  } while (!done());
}

/// Waits for `done` without running anything.
template <class Done> void wait_quietly(Worker& worker, Done done) {
  if (done())
    return;
  Patience patience(worker);
  do {
    if (patience.spin())
      continue;
    worker.bell.prepare();
    if (done())
      return worker.bell.cancel();
    patience.sleep();
  } while (!done());
}

/// A wait inside a task: only descendants of the current task may be started (task scheduling
/// constraint, OpenMP 5.2, section 12.9).
template <class Done> void wait_in_task(Worker& worker, Done done) {
  wait_until(worker, false, done);
}

} // namespace xomp
