// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The numbers by which this interface names schedules (sched_type), and what they are here.
#pragma once
#include <algorithm>
#include <cstdint>

#include "worksharing/loop.h"

namespace xomp::llvm {

/// What a number says. Those of ordered loops lie 32 above the others, and those whose chunks are
/// not to be merged 128 above; the modifiers are flags on top.
struct NamedSchedule {
  enum Kind : uint32_t {
    kStaticChunked = 33,
    kStatic,
    kDynamic,
    kGuided,
    kRuntime,
    kAuto,
    kTrapezoidal,
    kStaticGreedy,
    kStaticBalanced,
    kGuidedIterative,
    kGuidedAnalytical,
    kStaticSteal,
    kStaticBalancedChunked, ///< blocks that are multiples of the chunk
    kGuidedSimd,
    kRuntimeSimd,
    kDistributeChunked = 91,
    kDistribute,
  };
  uint32_t kind;
  bool ordered = false;
  bool nonmonotonic;

  explicit constexpr NamedSchedule(int32_t number)
      : kind(static_cast<uint32_t>(number) & ~kModifiers),
        nonmonotonic(static_cast<uint32_t>(number) & kNonmonotonic) {
    if (kind > 160)
      kind -= 128;
    if (kind > 64 && kind < kDistributeChunked) {
      kind -= 32;
      ordered = true;
    }
  }

private:
  static constexpr uint32_t kNonmonotonic = 1u << 30;
  static constexpr uint32_t kModifiers = kNonmonotonic | 1u << 29; ///< that: monotonic
};

/// The iterations of each block but the last ones, of `parts` that consist of whole chunks.
constexpr uint64_t whole_chunks(uint64_t trips, uint64_t parts, uint64_t chunk) {
  uint64_t size = trips / parts + (trips % parts != 0);
  return (size + chunk - 1) / chunk * chunk;
}

/// A loop's bounds as this interface has them: `upper` is the last value, and a count that does not
/// fit into the type is that of a loop without iterations.
template <class T> struct Bounds {
  using Unsigned = std::make_unsigned_t<T>;
  using Signed = std::make_signed_t<T>;
  T lower, upper;
  Signed step;

  bool up() const { return step > 0; }
  uint64_t trips() const {
    if (step == 0 || (up() ? upper < lower : lower < upper))
      return 0;
    auto span = static_cast<Unsigned>(up() ? Unsigned(upper) - Unsigned(lower)
                                           : Unsigned(lower) - Unsigned(upper));
    auto stride = static_cast<Unsigned>(up() ? Unsigned(step) : Unsigned(0) - Unsigned(step));
    return static_cast<Unsigned>(span / stride + 1);
  }
  /// The value of an iteration.
  T at(uint64_t iteration) const {
    return static_cast<T>(Unsigned(lower) + Unsigned(iteration) * Unsigned(step));
  }
  /// The iterations of a block, of which there is at least one.
  Bounds part(IterationBlock block) const { return {at(block.begin), at(block.end - 1), step}; }
  /// Which ones those of `inner` are, as far as it is inside of this.
  IterationBlock block_in(const Bounds& inner) const {
    uint64_t count = inner.trips();
    if (count == 0)
      return {0, 0};
    auto distance =
        up() ? Unsigned(inner.lower) - Unsigned(lower) : Unsigned(lower) - Unsigned(inner.lower);
    auto stride = up() ? Unsigned(step) : Unsigned(0) - Unsigned(step);
    uint64_t begin = Unsigned(distance) / Unsigned(stride);
    return {begin, begin + std::min(count, trips() - begin)};
  }
  /// No iteration, behind the loop's if the type has such a value: where a team's iterations are
  /// handed out one by one, clang's programs look at `lower` only, and compare it with the loop's
  /// own bound.
  [[gnu::noinline, gnu::cold]] Bounds none() const {
    uint64_t count = trips();
    if (up() ? upper < lower : lower < upper)
      return *this;
    T behind = at(count);
    if (count > 0 && (up() ? behind > upper : behind < upper))
      return {behind, at(count - 1), step};
    return up() ? Bounds{1, 0, step} : Bounds{0, 1, step};
  }
};

} // namespace xomp::llvm
