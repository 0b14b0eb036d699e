// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waiting for a thread that is in the middle of a few instructions: spins, then gives the processor
// away, and when that does not help sleeps. Threads of a lower real-time priority run only then.
#pragma once
#include "sys/cpu.h"

namespace xomp::sys {

class ShortWait {
public:
  /// A moment: what is waited for is looked at before and after.
  [[gnu::noinline]] void once() {
    if (rounds >= kSpins + kYields)
      return nap();
    if (rounds++ < kSpins)
      pause();
    else
      yield(); // the other has lost its processor
  }

private:
  static constexpr int kSpins = 100, kYields = 100;

  int rounds = 0;
};

} // namespace xomp::sys
