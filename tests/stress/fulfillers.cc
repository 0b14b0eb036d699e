// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Serving a list of events, not in order.
#include "fulfillers.h"

namespace stress {

Fulfillers fulfillers;

void Fulfillers::start(int count) {
  for (int i = 0; i < count; ++i)
    threads.emplace_back([this] { serve(); });
}

void Fulfillers::stop() {
  give_delayed();
  {
    std::lock_guard<std::mutex> guard(lock);
    stopping = true;
  }
  more.notify_all();
  for (auto& thread : threads)
    thread.join();
}

void Fulfillers::give(omp_event_handle_t event) {
  std::lock_guard<std::mutex> guard(lock);
  events.push_back(event);
  more.notify_one();
}

void Fulfillers::give_later(omp_event_handle_t event) {
  std::lock_guard<std::mutex> guard(lock);
  delayed.push_back(event);
}

void Fulfillers::give_delayed() {
  std::lock_guard<std::mutex> guard(lock);
  events.insert(events.end(), delayed.begin(), delayed.end());
  delayed.clear();
  more.notify_all();
}

void Fulfillers::serve() {
  std::unique_lock<std::mutex> guard(lock);
  for (;;) {
    more.wait(guard, [this] { return stopping || !events.empty(); });
    if (events.empty())
      return;
    // Not in order, so that a later event may be fulfilled before an earlier one.
    size_t which = ++turns % events.size();
    omp_event_handle_t event = events[which];
    events[which] = events.back();
    events.pop_back();
    guard.unlock();
    omp_fulfill_event(event);
    guard.lock();
  }
}

} // namespace stress
