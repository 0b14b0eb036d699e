// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts spans that threads begin and end, so that others can tell whether one was open at a
// moment, or began since: those begun and not ended in the low half of a word, those ended in the
// high half.
#pragma once
#include <atomic>
#include <cstdint>

#include "sys/assert.h"

namespace xomp::sys {

class SpanCount {
public:
  /// Relaxed: whoever sees by a release of this thread's what it does in the span sees that it has
  /// begun.
  void begin() { word.fetch_add(1, std::memory_order_relaxed); }
  void end() {
    XOMP_ASSERT(any_open(word.load(std::memory_order_relaxed)));
    // Release: whoever sees that it has ended sees what was done in it.
    word.fetch_add(UINT32_MAX, std::memory_order_release);
  }
  /// All so far. Acquire: see `end`.
  uint64_t so_far() const { return word.load(std::memory_order_acquire); }
  /// Whether there is another since, or an end. The caller has ordered it behind what it looked at.
  bool has_changed(uint64_t before) const { return word.load(std::memory_order_relaxed) != before; }
  /// Whether one had begun and not ended then.
  static bool any_open(uint64_t then) { return (then & UINT32_MAX) != 0; }
  /// In the child after fork: a thread that was in one is gone.
  void reset() { word.store(0, std::memory_order_relaxed); }

private:
  std::atomic<uint64_t> word{0};
};

} // namespace xomp::sys
