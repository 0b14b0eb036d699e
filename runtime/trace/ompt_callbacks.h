// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The callbacks that the tool has asked for (OpenMP 5.2, section 19.5).
#pragma once
#include <atomic>

#include "omp-tools.h"

namespace xomp::trace {

inline constexpr int kCallbacks = ompt_callback_error + 1;

/// By event; null: not asked for. Release and acquire: what the tool has set up before it asked.
[[gnu::visibility("hidden")]] extern constinit std::atomic<ompt_callback_t> callbacks[kCallbacks];

/// The tool's function for the event, or null.
template <class Callback> Callback asked(ompt_callbacks_t event) {
  return reinterpret_cast<Callback>(callbacks[event].load(std::memory_order_acquire));
}

/// ompt_set_callback, which says how often the event is told, and ompt_get_callback.
ompt_set_result_t set_callback(ompt_callbacks_t event, ompt_callback_t callback);
int get_callback(ompt_callbacks_t event, ompt_callback_t* callback);
/// From here on nothing is told.
void clear_callbacks();

} // namespace xomp::trace
