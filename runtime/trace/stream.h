// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which listeners the runtime's events have. Where there are none there is no cost on any fast
// path: a thread finds out when it begins in a region (`beginnings_ask`), and has itself sent to
// the slow paths from then on, which tell (team/tracing.h).
#pragma once
#include <atomic>
#include <cstdint>

namespace xomp::trace {

enum Listener : uint32_t {
  kRecorder = 1, ///< trace/recorder.h
  kTool = 2,     ///< a tool of OMPT (ompt/tool.h), or there may be one
};

/// A set of Listeners. Relaxed: an event at the moment of a change may be told or not.
[[gnu::visibility("hidden")]] extern constinit std::atomic<uint32_t> listeners;

inline bool listening(uint32_t any_of) {
  return listeners.load(std::memory_order_relaxed) & any_of;
}
inline bool anybody_listens() { return listeners.load(std::memory_order_relaxed) != 0; }

void listen(Listener listener);
void stop_listening(Listener listener);

/// What an interface knows of the place of a call besides its address, `codeptr`: of this one
/// nothing. Where it is known a log is told of it before `slow` is called.
struct NothingKnown {
  template <auto slow, class... Arguments>
  [[gnu::always_inline]] static auto call(const void* /*codeptr*/, Arguments&&... arguments) {
    return slow(arguments...);
  }
};

} // namespace xomp::trace
