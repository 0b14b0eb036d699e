// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/stream.h"

#include "conf/settings.h"

namespace xomp::trace {

constinit std::atomic<uint32_t> listeners{0};

void listen(Listener listener) {
  listeners.fetch_or(listener, std::memory_order_relaxed);
  beginnings_ask.store(true, std::memory_order_relaxed);
}

void stop_listening(Listener listener) {
  listeners.fetch_and(~uint32_t{listener}, std::memory_order_relaxed);
}

} // namespace xomp::trace
