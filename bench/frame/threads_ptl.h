// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The threads on which an application with PTL, the Parallel Tasking Library of Geant4, runs.
#ifndef XOMP_BENCH_THREADS_PTL_H
#define XOMP_BENCH_THREADS_PTL_H

#include <PTL/TaskGroup.hh>
#include <PTL/ThreadPool.hh>

// OMP_NUM_THREADS of them, beside the main thread, which only waits.
PTL::ThreadPool* threads_pool();

// Runs the function as a task, from the main thread.
template <typename Function> void run_in_pool(Function function) {
  PTL::TaskGroup<void> group(threads_pool());
  group.run(function);
  group.wait();
}

#endif
