// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that the program divides in place: it asks once which iterations are its own. Of threads
// (for, sections), of teams (distribute), and of both at once.
#include <algorithm>

#include "abi/export.h"
#include "abi/llvm/doacross.h"
#include "abi/llvm/ident.h"
#include "abi/llvm/schedule.h"
#include "sys/report.h"
#include "team/ancestors.h"
#include "team/team.h"
#include "worksharing/loop.h"

using namespace xomp;
using namespace xomp::llvm;

namespace {

/// Among how many the iterations are divided, and which of them asks.
struct Part {
  uint64_t count, id;
};

Part of_threads() { return {static_cast<uint64_t>(self->count), static_cast<uint64_t>(self->id)}; }

Part of_teams() {
  const Team& league = league_of(me());
  return {static_cast<uint64_t>(league.team_total), static_cast<uint64_t>(league.team_number)};
}

/// What a part gets. `stride`: from one of its chunks to the next, which the program goes itself.
template <class T> struct Share {
  Bounds<T> bounds;
  T stride;
  bool last; ///< it has the loop's last iteration
};

template <class T> Share<T> block(const Bounds<T>& loop, Part part) {
  uint64_t trips = loop.trips();
  IterationBlock own = block_of(trips, part.count, part.id);
  if (own.begin >= own.end)
    return {loop.none(), static_cast<T>(trips), false};
  return {loop.part(own), static_cast<T>(trips), own.end == trips};
}

/// One that is longer than the loop does no more than one of its length, which nothing overflows.
uint64_t no_longer(uint64_t chunk, uint64_t trips) {
  return std::min(chunk, std::max<uint64_t>(trips, 1));
}

/// The last chunk may be beyond the loop's end, which is the program's to cut off. A part without
/// any gets none, and no stride is longer than all chunks: neither wraps into the loop again.
template <class T> Share<T> chunks(const Bounds<T>& loop, Part part, uint64_t chunk) {
  uint64_t trips = loop.trips();
  chunk = no_longer(chunk, trips);
  uint64_t all = trips / chunk + (trips % chunk != 0);
  auto stride =
      static_cast<T>(std::min(part.count, all) * chunk * static_cast<uint64_t>(loop.step));
  if (part.id >= all)
    return {loop.none(), stride, false};
  uint64_t first = part.id * chunk;
  return {loop.part({first, first + chunk}), stride, (all - 1) % part.count == part.id};
}

/// Blocks of whole chunks.
template <class T> Share<T> block_of_chunks(const Bounds<T>& loop, Part part, uint64_t chunk) {
  uint64_t trips = loop.trips();
  uint64_t size = whole_chunks(trips, part.count, no_longer(chunk, trips));
  IterationBlock own{std::min(part.id * size, trips), std::min((part.id + 1) * size, trips)};
  if (own.begin >= own.end)
    return {loop.none(), static_cast<T>(trips), false};
  return {loop.part(own), static_cast<T>(trips), own.end == trips};
}

template <class T>
Share<T> divide(const NamedSchedule& schedule, const Bounds<T>& loop, int64_t asked) {
  using Named = NamedSchedule;
  uint64_t chunk = static_cast<uint64_t>(std::max<int64_t>(asked, 1));
  switch (schedule.kind) {
  case Named::kStaticChunked:
    return chunks(loop, of_threads(), chunk);
  case Named::kStatic:
  case Named::kStaticGreedy:
  case Named::kStaticBalanced:
    return block(loop, of_threads());
  case Named::kStaticBalancedChunked:
    return block_of_chunks(loop, of_threads(), chunk);
  case Named::kDistributeChunked:
    return chunks(loop, of_teams(), chunk);
  case Named::kDistribute:
    return block(loop, of_teams());
  default:
    sys::fatal("__kmpc_for_static_init: schedule %u is none that a program divides itself",
               schedule.kind);
  }
}

template <class T>
void hand_out(const Share<T>& share, int32_t* last, T* lower, T* upper,
              std::make_signed_t<T>* stride) {
  if (last)
    *last = share.last;
  *lower = share.bounds.lower;
  *upper = share.bounds.upper;
  *stride = static_cast<std::make_signed_t<T>>(share.stride);
}

/// What listeners are told that it is.
Divided kind_of(const Ident* ident, const NamedSchedule& schedule) {
  if (ident && ident->flags & kOfSections)
    return Divided::kSections;
  return schedule.kind >= NamedSchedule::kDistributeChunked ? Divided::kDistribute : Divided::kLoop;
}

/// Listeners, of a loop and the part of it that is the caller's.
template <class T>
[[gnu::noinline, gnu::cold]] void tell(const Ident* ident, Divided what, Bounds<T> loop,
                                       Bounds<T> part, const void* codeptr) {
  describe(ident, codeptr);
  trace_divided(what, loop.trips(), loop.block_in(part), codeptr);
}

// Inline, so that the return address is the program's.
template <class T, class Step>
[[gnu::always_inline]] inline void for_static(const Ident* ident, int32_t schedule, int32_t* last,
                                              T* lower, T* upper, Step* stride, Step step,
                                              Step chunk) {
  NamedSchedule named(schedule);
  Bounds<T> loop{*lower, *upper, step};
  if (nest) [[unlikely]]
    begin_divided_doacross(loop.trips(), named, static_cast<int64_t>(chunk));
  Share<T> own = divide(named, loop, chunk);
  hand_out(own, last, lower, upper, stride);
  if (trace::listening(~uint32_t{0})) [[unlikely]]
    tell(ident, kind_of(ident, named), loop, own.bounds, __builtin_return_address(0));
}

/// distribute parallel for: the team's block, and the thread's part of it.
template <class T, class Step>
[[gnu::always_inline]] inline void
distribute_static(const Ident* ident, int32_t schedule, int32_t* last, T* lower, T* upper,
                  T* upper_of_team, Step* stride, Step step, Step chunk) {
  Bounds<T> loop{*lower, *upper, step};
  Share<T> team = block(loop, of_teams());
  *upper_of_team = team.bounds.upper;
  Share<T> own = divide(NamedSchedule(schedule), team.bounds, chunk);
  own.last = own.last && team.last;
  hand_out(own, last, lower, upper, stride);
  if (trace::listening(~uint32_t{0})) [[unlikely]]
    tell(ident, Divided::kDistribute, loop, team.bounds, __builtin_return_address(0));
}

void part_ends() {
  if (trace::listening(~uint32_t{0})) [[unlikely]]
    trace_end_of_divided();
}

template <class T, class Step>
void team_static(int32_t* last, T* lower, T* upper, Step* stride, Step step, Step chunk) {
  auto positive = static_cast<uint64_t>(std::max<Step>(chunk, 1));
  hand_out(chunks(Bounds<T>{*lower, *upper, step}, of_teams(), positive), last, lower, upper,
           stride);
}

} // namespace

#define STATIC_LOOPS(suffix, T, Step)                                                              \
  XOMP_EXPORT void __kmpc_for_static_init_##suffix(const Ident* ident, int32_t, int32_t schedule,  \
                                                   int32_t* last, T* lower, T* upper,              \
                                                   Step* stride, Step step, Step chunk) {          \
    for_static(ident, schedule, last, lower, upper, stride, step, chunk);                          \
  }                                                                                                \
  XOMP_EXPORT void __kmpc_dist_for_static_init_##suffix(                                           \
      const Ident* ident, int32_t, int32_t schedule, int32_t* last, T* lower, T* upper,            \
      T* upper_of_team, Step* stride, Step step, Step chunk) {                                     \
    distribute_static(ident, schedule, last, lower, upper, upper_of_team, stride, step, chunk);    \
  }                                                                                                \
  XOMP_EXPORT void __kmpc_team_static_init_##suffix(const Ident*, int32_t, int32_t* last,          \
                                                    T* lower, T* upper, Step* stride, Step step,   \
                                                    Step chunk) {                                  \
    team_static(last, lower, upper, stride, step, chunk);                                          \
  }
STATIC_LOOPS(4, int32_t, int32_t)
STATIC_LOOPS(4u, uint32_t, int32_t)
STATIC_LOOPS(8, int64_t, int64_t)
STATIC_LOOPS(8u, uint64_t, int64_t)

XOMP_EXPORT void __kmpc_for_static_fini(const Ident*, int32_t) { part_ends(); }
XOMP_EXPORT void __kmpc_dist_for_static_fini(const Ident*, int32_t) { part_ends(); }
