// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads outside OpenMP that fulfill the events of detachable tasks.
#pragma once
#include <omp.h>

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

namespace stress {

class Fulfillers {
public:
  void start(int count);
  void stop();
  /// Some thread will fulfill it, perhaps before events that were given earlier.
  void give(omp_event_handle_t event);
  /// The same, but not before somebody has asked for the delayed ones.
  void give_later(omp_event_handle_t event);
  void give_delayed();

private:
  void serve();

  std::mutex lock;
  std::condition_variable more;
  std::vector<omp_event_handle_t> events, delayed;
  std::vector<std::thread> threads;
  size_t turns = 0;
  bool stopping = false;
};

extern Fulfillers fulfillers;

} // namespace stress
