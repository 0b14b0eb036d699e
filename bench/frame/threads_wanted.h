// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the thread starters of the libraries other than OpenMP have in common.
#ifndef XOMP_BENCH_THREADS_WANTED_H
#define XOMP_BENCH_THREADS_WANTED_H

#include "app.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

// As OpenMP does: OMP_NUM_THREADS, else one for each processor.
inline int threads_wanted() {
  const char* text = std::getenv("OMP_NUM_THREADS");
  if (text == nullptr)
    return static_cast<int>(std::thread::hardware_concurrency());
  char* end;
  long threads = std::strtol(text, &end, 10);
  if (end == text || *end != '\0' || threads < 1 || threads > 4096)
    app_reject("OMP_NUM_THREADS must be an integer from 1 to 4096, not '%s'", text);
  return static_cast<int>(threads);
}

// A task of the group for each thread, which waits until all have one, so that all threads are
// there. Libraries do not promise that they come, so after a second the application is let go
// without.
template <typename Group> void gather_threads(Group& group, int threads) {
  using namespace std::chrono;
  auto deadline = steady_clock::now() + seconds(1);
  std::atomic<int> here{0};
  for (int i = 0; i < threads; i++)
    group.run([&here, threads, deadline] {
      here++;
      while (here < threads && steady_clock::now() < deadline)
        std::this_thread::yield();
    });
  group.wait();
}

#endif
