// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/stream.h"

#include "conf/settings.h"

namespace xomp::trace {

constinit std::atomic<uint32_t> listeners{0};
constinit std::atomic<uint32_t> free_mutex{0};

void listen(Listener listener) {
  listeners.fetch_or(listener, std::memory_order_relaxed);
  beginnings_ask.store(true, std::memory_order_relaxed);
  free_mutex.store(kNeverFree, std::memory_order_relaxed);
}

void stop_listening(Listener listener) {
  uint32_t before = listeners.fetch_and(~uint32_t{listener}, std::memory_order_relaxed);
  if (before == listener)
    free_mutex.store(0, std::memory_order_relaxed);
}

} // namespace xomp::trace
