// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The families of entry points for loops. The ABI has one entry point for each schedule, modifier
// and combination, and most are alike: tables of names make them in loop_entries.inc. A `next`
// needs no schedule: the loop knows it.
#pragma once
#include "abi/export.h"
#include "worksharing/doacross.h"
#include "worksharing/loop.h"

/// Another name for an entry point of the same file.
#define XOMP_SAME_AS(target) XOMP_SAME_AS_NAMED(target)
#define XOMP_SAME_AS_NAMED(target) XOMP_EXPORT [[gnu::alias(#target)]]

// The schedules that an entry point's name says. F(name, kind): with a chunk size; G(name, kind):
// as run-sched-var says. Compilers choose the names without "nonmonotonic" for monotonic loops, and
// those before OpenMP 5.0 knew no others.
#define EACH_SCHEDULE(F, G)                                                                        \
  F(static, kScheduleStatic)                                                                       \
  F(dynamic, kScheduleDynamic)                                                                     \
  F(guided, kScheduleGuided)                                                                       \
  G(runtime, kScheduleRuntime)
#define EACH_NONMONOTONIC(F, G)                                                                    \
  F(nonmonotonic_dynamic, kScheduleDynamic)                                                        \
  F(nonmonotonic_guided, kScheduleGuided)                                                          \
  G(nonmonotonic_runtime, kScheduleRuntime)                                                        \
  G(maybe_nonmonotonic_runtime, kScheduleRuntime)

// The entry points that hand out the next chunk.
#define EACH_NEXT(F)                                                                               \
  F(static)                                                                                        \
  F(dynamic)                                                                                       \
  F(guided)                                                                                        \
  F(nonmonotonic_dynamic)                                                                          \
  F(nonmonotonic_guided)                                                                           \
  F(nonmonotonic_runtime)                                                                          \
  F(maybe_nonmonotonic_runtime)                                                                    \
  F(ordered_static)                                                                                \
  F(ordered_dynamic)                                                                               \
  F(ordered_guided)                                                                                \
  F(ordered_runtime)

namespace xomp {

/// A loop that starts and hands the caller its first chunk. `first` null: the compiler divides the
/// loop itself and wants only what comes with it.
template <class Number>
[[gnu::always_inline]] inline bool start_and_next(const LoopSpec& spec, Number* first, Number* past,
                                                  uintptr_t* reductions = nullptr,
                                                  void** memory = nullptr) {
  Member& member = me();
  start_loop(member, spec, reductions, memory);
  return !first || next_bounds(member, first, past);
}

/// ordered(n): `counts` are the loops' iterations, the outermost first.
template <class Number>
LoopSpec doacross_spec(unsigned rank, const Number* counts, uint32_t kind, Number chunk) {
  static_assert(sizeof(Number) == sizeof(uint64_t), "counts are passed on as they are");
  expect_nest(rank > 0, counts);
  auto* plain = reinterpret_cast<const uint64_t*>(counts);
  return {range_up(0, plain[0], 1, plain[0] == 0),
          {kind, static_cast<uint64_t>(chunk)},
          false,
          LoopType::kLong,
          rank,
          plain};
}

} // namespace xomp
