// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lock-less messaging between a thief and a victim (paper 1, section IV.B, Alg. 1 and 2). States
// and races: sched/papers/README.md.
#pragma once
#include <atomic>
#include <cstdint>

#include "sys/cpu.h"
#include "sys/delay.h"

namespace xomp {

inline constexpr int kNobody = -1;

/// A victim's round cell and request cell. The request names the round in which it was made (40
/// bits) and the thief (24 bits); it is valid as long as that is the victim's round.
///
/// All accesses are relaxed: the cells carry nothing but these two numbers, and nothing is read on
/// the strength of them. A request may be overwritten, or come too late; a thief that is awake asks
/// again, and one that sleeps does not rely on its requests (sched/papers/README.md).
class alignas(sys::kNoSharing) Mailbox {
public:
  static constexpr int kRoundBits = 40;
  static constexpr uint64_t kRoundMask = (uint64_t{1} << kRoundBits) - 1;

  /// Thief (Alg. 1): asks, unless somebody did in this round.
  bool send(int thief) {
    uint64_t seen = request.load(std::memory_order_relaxed);
    uint64_t now = round.load(std::memory_order_relaxed);
    if ((seen & kRoundMask) == now)
      return false;
    sys::delay();
    request.store(static_cast<uint64_t>(thief) << kRoundBits | now, std::memory_order_relaxed);
    return true;
  }
  /// Victim (Alg. 2): the thief that asked in this round.
  int thief() const {
    uint64_t seen = request.load(std::memory_order_relaxed);
    bool valid = (seen & kRoundMask) == round.load(std::memory_order_relaxed);
    return valid ? static_cast<int>(seen >> kRoundBits) : kNobody;
  }
  /// Victim: the request is handled; the next may come. Rounds begin again from 0 after some 10^12:
  /// only equality counts.
  void next_round() {
    sys::delay();
    round.store((round.load(std::memory_order_relaxed) + 1) & kRoundMask,
                std::memory_order_relaxed);
  }
  /// Before a team starts: nobody has asked.
  void clear() {
    round.store(1, std::memory_order_relaxed);
    request.store(0, std::memory_order_relaxed);
  }

private:
  std::atomic<uint64_t> round{1}; ///< written by the victim only
  std::atomic<uint64_t> request{0};
};

} // namespace xomp
