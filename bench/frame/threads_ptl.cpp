// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "threads_ptl.h"

#include "threads.h"
#include "threads_wanted.h"

// Never destroyed: that would be reported on stderr.
PTL::ThreadPool* threads_pool() {
  static auto* pool = new PTL::ThreadPool(static_cast<std::size_t>(threads_wanted()));
  return pool;
}

int start_threads(void) {
  int threads = threads_wanted();
  PTL::TaskGroup<void> group(threads_pool());
  gather_threads(group, threads);
  return threads;
}
