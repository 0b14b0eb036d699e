// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whom a thief asks (paper 1, section IV.B): with probability P_local another worker of its own
// locality domain, else one of another domain; each of them is as likely as the next. Where one of
// the two kinds does not exist, the other is meant.
#pragma once
#include <cstdint>

#include "sched/papers/random.h"
#include "sched/policy.h"

namespace xomp {

class Victims {
public:
  /// P_local = 1 in `XOMP_LOCAL`'s unit.
  static constexpr uint32_t kAlways = 1'000'000;

  /// Before a team starts.
  void open(const Port& own);
  void close();

  /// Whether the next is of the own domain, with this probability.
  bool draw_local(uint32_t local_share) { return random.below(kAlways) < local_share; }
  /// Whether all others are of one kind, which is then meant whatever is drawn.
  bool of_one_kind(const Port& own) {
    set_apart(own);
    return locals == 0 || locals == own.count - 1;
  }
  /// 32 random bits.
  uint32_t draw() { return static_cast<uint32_t>(random.next()); }
  int pick(const Port& own, uint32_t local_share) {
    auto [begin, end] = range(own, draw_local(local_share));
    return ids[begin + static_cast<int>(random.below(static_cast<uint32_t>(end - begin)))];
  }
  /// Calls `ask(victim)` for all that `pick` may give, each once.
  template <class Ask> void each(const Port& own, uint32_t local_share, Ask ask) {
    set_apart(own);
    int begin = local_share > 0 ? 0 : range(own, false).begin;
    int end = local_share < kAlways ? own.count - 1 : range(own, true).end;
    for (int i = begin; i < end; ++i)
      ask(ids[i]);
  }

private:
  struct Range {
    int begin, end;
  };
  Range range(const Port& own, bool local) {
    int others = own.count - 1;
    if (of_one_kind(own))
      return {0, others};
    return local ? Range{0, locals} : Range{locals, others};
  }
  /// Sorts the others by domain, at the first use: the ports of a team are opened one after the
  /// other.
  void set_apart(const Port& own) {
    if (locals == kUnknown) [[unlikely]]
      sort(own);
  }
  [[gnu::cold]] void sort(const Port& own);

  static constexpr int kUnknown = -1;
  int* ids = nullptr; ///< all others: those of the own domain first
  int capacity = 0;
  int locals = kUnknown;
  Random random{0};
};

} // namespace xomp
