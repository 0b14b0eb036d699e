// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waiting for a thread that is in the middle of a few instructions: spins, then gives the processor
// away, and when that does not help sleeps. Threads of a lower real-time priority run only then.
#pragma once
#include <algorithm>
#include <cstdint>

#include "sys/cpu.h"

namespace xomp::sys {

class ShortWait {
public:
  /// A moment: what is waited for is looked at before and after.
  [[gnu::noinline]] void once() {
    if (rounds >= kSpins + kYields) {
      nap(nap_length);
      nap_length = std::min(2 * nap_length, kLongestNap);
      return;
    }
    if (rounds++ < kSpins)
      pause();
    else
      yield(); // the other has lost its processor
  }

private:
  static constexpr int kSpins = 100, kYields = 100;
  static constexpr int64_t kFirstNap = 50'000, kLongestNap = 10'000'000; // nanoseconds

  int rounds = 0;
  int64_t nap_length = kFirstNap; ///< many threads that nap would keep the other from running
};

} // namespace xomp::sys
