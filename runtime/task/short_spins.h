// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether a thread that spins is in the way of whom it waits for, which has the same processor: it
// loses its own in the middle, for a time slice. Then it hardly spins in some waits, in twice as
// many each time; each wait in which it spins undisturbed takes a sixteenth off that number.
#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>

#include "sys/ticks.h"

namespace xomp {

/// Of one worker.
struct ShortSpins {
  static constexpr uint32_t kFewest = 16, kMost = 4096; ///< waits in a row

  uint32_t left = 0;       ///< waits to come that hardly spin
  uint32_t next = kFewest; ///< so many when it is in the way the next time

  /// A wait begins. Whether it is one that hardly spins.
  bool begin() {
    bool is_short = left != 0;
    left -= is_short;
    return is_short;
  }
  void was_in_the_way() {
    left = next;
    next = std::min(2 * next, kMost);
  }
  void spun_undisturbed() { next = std::max(next - next / 16, kFewest); }
};

/// Of one wait that looks at the clock between its rounds.
class LostProcessor {
public:
  static constexpr int64_t kTicks = 200 * sys::kTicksOfMicrosecond; ///< between two rounds

  /// Whether the processor was lost since the last look.
  bool look(int64_t lost = kTicks) {
    int64_t before = std::exchange(last, sys::ticks());
    return before != 0 && last - before >= lost;
  }
  /// The next look is the first: the thread has slept, or worked.
  void restart() { last = 0; }

private:
  int64_t last = 0;
};

} // namespace xomp
