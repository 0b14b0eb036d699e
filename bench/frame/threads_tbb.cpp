// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "threads_tbb.h"

#include "threads.h"
#include "threads_wanted.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_group.h>

#include <cstddef>

// Enough for the recursion of every application; pages that are not used cost nothing.
constexpr std::size_t kThreadStack = 100 << 20;

tbb::task_arena& threads_arena() {
  static tbb::task_arena arena(threads_wanted());
  return arena;
}

int start_threads(void) {
  int threads = threads_wanted();
  using tbb::global_control;
  static global_control limit(global_control::max_allowed_parallelism, threads);
  static global_control stack(global_control::thread_stack_size, kThreadStack);
  threads_arena().execute([=] {
    tbb::task_group group;
    gather_threads(group, threads);
  });
  return threads;
}
