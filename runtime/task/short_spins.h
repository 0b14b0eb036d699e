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
  void take_more() {
    left = next;
    next = std::min(2 * next, kMost);
  }
  void take_fewer() { next = std::max(next - next / 16, kFewest); }
};

/// Of one wait.
class SpinWatch {
public:
  /// Between two looks at the clock: the processor was lost. Another one for a test, whose
  /// processor anybody may take at any time.
  int64_t lost = 200 * sys::kTicksOfMicrosecond;

  /// The wait begins, or a part of it that is a wait of its own. Until then nothing is watched, and
  /// nothing learnt.
  void begin(ShortSpins& spins) {
    state = spins.begin() ? kShort : kWatching;
    last_look = 0;
  }
  /// It is over. `undisturbed`: in it the thread spun for long.
  void end(ShortSpins& spins, bool undisturbed) {
    if (state == kInTheWay)
      spins.take_more();
    else if (state == kWatching && undisturbed)
      spins.take_fewer();
    state = kOff;
  }

  bool is_on() const { return state != kOff; }
  bool is_watching() const { return state == kWatching; }
  bool was_in_the_way() const { return state == kInTheWay; }
  /// It hardly spins.
  bool is_short() const { return state == kShort || state == kInTheWay; }

  /// The thread has lost its processor, or was woken from the one on which it had spun.
  void set_in_the_way() { state = kInTheWay; }
  /// Between two rounds: whether it spins on.
  bool spins_on() {
    if (state == kWatching) {
      int64_t before = std::exchange(last_look, sys::ticks());
      if (before != 0 && last_look - before >= lost)
        set_in_the_way();
    }
    return !is_short();
  }
  /// The thread has slept: no round was before.
  void restart() { last_look = 0; }

private:
  enum State : uint8_t {
    kOff,
    kShort,    ///< one of those that hardly spin
    kWatching, ///< spins for as long as is usual, and looks whether it is in the way
    kInTheWay, ///< it was
  };
  State state = kOff;
  int64_t last_look = 0; ///< ticks
};

} // namespace xomp
