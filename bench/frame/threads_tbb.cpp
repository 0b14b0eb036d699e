// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "threads_tbb.h"

#include "threads.h"
#include "threads_wanted.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_group.h>

#include <atomic>
#include <chrono>
#include <thread>

tbb::task_arena& threads_arena() {
  static tbb::task_arena arena(threads_wanted());
  return arena;
}

// A task for each thread, which waits until all have one, so that all threads are there. oneTBB
// does not promise that they come, so after a second the application is let go without.
static void gather(int threads) {
  using namespace std::chrono;
  auto deadline = steady_clock::now() + seconds(1);
  std::atomic<int> here{0};
  tbb::task_group group;
  for (int i = 0; i < threads; i++)
    group.run([&] {
      here++;
      while (here < threads && steady_clock::now() < deadline)
        std::this_thread::yield();
    });
  group.wait();
}

int start_threads(void) {
  int threads = threads_wanted();
  using tbb::global_control;
  static global_control limit(global_control::max_allowed_parallelism, threads);
  static global_control stack(global_control::thread_stack_size, kThreadStack);
  threads_arena().execute([=] { gather(threads); });
  return threads;
}
