// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What na-rp and na-ws do where a variable says `auto`: the parameters follow from the size of the
// tasks that a worker ran lately, as Table IV of paper 1 advises (section VIII; its section X names
// this as future work). Sizes are in cycles of the paper's machine, which the ticks of x86-64 are.
//
// Table IV, for NA-WS: a steal size S of 10^0-10^1, 10^1-10^2, 10^2-10^2.5, 10^2.5-10^3 and more
// for tasks of 10^1-10^2, 10^2, 10^3, 10^3-10^4 and more cycles, which a tenth of the task's size
// goes through (from 10^3 to 10^3.5 it is somewhat less than the table says); P_local of 100% up to
// 10^3, 3-50% up to 10^4, 3-12% above, of which these are the upper ends. For NA-RP the text says
// "fully NUMA-local" of all sizes, as Table I does of all applications but one. S is N_steal times
// N_victim over log10(T_interval) (equation 1); the paper does not say how the two factors share
// it: here they are alike, up to 24 victims, the most in Table I. Nothing depends on the interval
// much, it says: it is 10^4, the most frequent of Table I.
//
// The paper's tasks were many. A victim of few gives no more than half of what it holds, so that it
// is not left with less than the thief.
#pragma once
#include <algorithm>
#include <cstdint>

#include "conf/settings.h"
#include "sys/ticks.h"

namespace xomp {

/// The size of the tasks that a worker ran lately.
class TaskSize {
public:
  void reset() { mean = 0; }
  /// It ran one of so many ticks.
  void note(int64_t ticks) { mean = mean ? mean + (ticks - mean) / 16 : ticks; }
  /// About, of a processor of 2.5 GHz; 0: it ran none.
  int64_t cycles() const {
    constexpr int64_t kCyclesOfMicrosecond = 2500;
    return mean * kCyclesOfMicrosecond / sys::kTicksOfMicrosecond;
  }

private:
  int64_t mean = 0; ///< in ticks
};

namespace guidelines {

/// T_interval, in fruitless looks, and its decimal logarithm.
constexpr int kInterval = 10'000, kLogOfInterval = 4;
constexpr int kMostVictims = 24;

/// N_steal x N_victim.
constexpr int64_t steals_of_all_victims(int64_t cycles) {
  constexpr int64_t kLargest = 3162; // 10^3.5: all that is more than enough
  return std::clamp<int64_t>(cycles / 10, 1, kLargest) * kLogOfInterval;
}
/// N_victim: the root of that.
constexpr int victims(int64_t cycles) {
  int found = 1;
  while (found < kMostVictims && int64_t{found + 1} * (found + 1) <= steals_of_all_victims(cycles))
    ++found;
  return found;
}
/// N_steal.
constexpr int steal(int64_t cycles, int victims) {
  return std::max(1, static_cast<int>(steals_of_all_victims(cycles) / victims));
}
/// P_local, in millionths.
constexpr uint32_t local_share(int64_t cycles) {
  return cycles <= 1'000 ? 1'000'000 : cycles <= 10'000 ? 500'000 : 120'000;
}

} // namespace guidelines

// What is in force for a worker of a team of `count`: what a variable says, or the guideline.

inline int victims_for(const TaskSize& size, int count) {
  return settings.victims ? settings.victims
                          : std::min(guidelines::victims(size.cycles()), count - 1);
}
inline int interval_in_force() {
  return settings.interval ? settings.interval : guidelines::kInterval;
}
/// `held(most)` counts the tasks in the victim's queues, about, and no further than to `most`.
template <class Held> int steal_for(const TaskSize& size, int count, Held held) {
  if (settings.steal)
    return settings.steal;
  int victims = victims_for(size, count), most = guidelines::steal(size.cycles(), victims);
  return std::clamp(held(2 * most) / 2, 1, most);
}

} // namespace xomp
