// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The callbacks that the tool has asked for (OpenMP 5.2, section 19.5), and which of them run.
#pragma once
#include <atomic>
#include <cstdint>

#include "omp-tools.h"
#include "sys/cpu.h"

namespace xomp::trace {

inline constexpr int kCallbacks = ompt_callback_error + 1;

/// By event; null: not asked for.
[[gnu::visibility("hidden")]] extern constinit std::atomic<ompt_callback_t> callbacks[kCallbacks];

/// Callbacks that run; in several counters, so that threads need not share one.
struct alignas(sys::kCacheLine) Running {
  std::atomic<uint32_t> count{0};
};
[[gnu::visibility("hidden")]] Running& begin_callback();
[[gnu::visibility("hidden")]] void end_callback(Running& running);

/// The tool's function for an event, or none, for as long as it may be called: `quiesce` waits for
/// it.
template <class Callback> class Registered {
public:
  explicit Registered(ompt_callbacks_t event) {
    // Relaxed: looked at again, if there is one.
    if (!callbacks[event].load(std::memory_order_relaxed))
      return;
    running = &begin_callback();
    // Sequentially consistent, as is the count before it: the other half of the Dekker pair is in
    // `quiesce`. Acquires what the tool has set up before it asked.
    function = reinterpret_cast<Callback>(callbacks[event].load(std::memory_order_seq_cst));
  }
  ~Registered() {
    if (running)
      end_callback(*running);
  }
  Registered(const Registered&) = delete;

  explicit operator bool() const { return function; }
  template <class... Arguments> auto operator()(Arguments... arguments) const {
    return function(arguments...);
  }

private:
  Callback function = nullptr;
  Running* running = nullptr;
};

template <class Callback> Registered<Callback> registered(ompt_callbacks_t event) {
  return Registered<Callback>(event);
}

/// ompt_set_callback, which says how often the event is told, and ompt_get_callback.
ompt_set_result_t set_callback(ompt_callbacks_t event, ompt_callback_t callback);
int get_callback(ompt_callbacks_t event, ompt_callback_t* callback);
/// Nothing is asked for any more.
void clear_callbacks();
/// Takes the callbacks away, and waits until no callback runs but those that the caller is in
/// itself. Not for ever: one may wait for what the caller has.
void quiesce();

} // namespace xomp::trace
