// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops whose chunks the runtime hands out: dynamic, guided, runtime, ordered; sections of
// compilers that do not make a static loop of them.
#include "abi/export.h"
#include "abi/llvm/doacross.h"
#include "abi/llvm/ident.h"
#include "abi/llvm/schedule.h"
#include "sys/report.h"
#include "team/ancestors.h"
#include "worksharing/loop.h"
#include "worksharing/sections.h"

using namespace xomp;
using namespace xomp::llvm;

namespace {

template <class T>
LoopSpec spec_of(const Bounds<T>& loop, const NamedSchedule& schedule, int64_t chunk) {
  auto first = static_cast<uint64_t>(loop.lower), step = static_cast<uint64_t>(int64_t{loop.step});
  uint64_t trips = loop.trips();
  LoopSpec spec{{first, first + trips * step, step, trips}, core_schedule(schedule, chunk, trips)};
  spec.ordered = schedule.ordered;
  spec.type = std::is_unsigned_v<T> && sizeof(T) == 8
                  ? loop.up() ? LoopType::kUnsignedUp : LoopType::kUnsignedDown
                  : LoopType::kLong;
  return spec;
}

template <class T> void start(const Bounds<T>& loop, int32_t number, int64_t chunk) {
  NamedSchedule schedule(number);
  start_loop_or_doacross(me(), spec_of(loop, schedule, chunk));
}

template <class T, class Step>
[[gnu::always_inline]] inline int32_t next(const Ident* ident, int32_t* last, T* lower, T* upper,
                                           Step* step) {
  Member& member = in_construct(me_if_known());
  uint64_t begin, end;
  if (!next_chunk(member, begin, end, Described{ident})) {
    member.chunks.cut_short = construct_cancelled(member, *member.workshare);
    leave_construct(member); // the program says no more of it
    return 0;
  }
  const WorkShare& share = *member.workshare;
  *lower = static_cast<T>(share.first + begin * share.step);
  *upper = static_cast<T>(share.first + (end - 1) * share.step);
  *step = static_cast<Step>(share.step);
  member.chunks.had_last = end == share.trips;
  if (last)
    *last = end == share.trips;
  return 1;
}

/// distribute parallel for with such a schedule: of the team's block.
template <class T, class Step>
void start_in_team(int32_t schedule, int32_t* last, T lower, T upper, Step step, Step chunk) {
  Bounds<T> loop{lower, upper, step};
  const Team& league = league_of(me());
  uint64_t trips = loop.trips();
  IterationBlock own = block_of(trips, static_cast<uint64_t>(league.team_total),
                                static_cast<uint64_t>(league.team_number));
  if (last)
    *last = own.begin < own.end && own.end == trips;
  start(own.begin < own.end ? loop.part(own) : loop.none(), schedule, chunk);
}

} // namespace

#define DISPATCHED_LOOPS(suffix, T, Step)                                                          \
  XOMP_EXPORT void __kmpc_dispatch_init_##suffix(const Ident*, int32_t, int32_t schedule, T lower, \
                                                 T upper, Step step, Step chunk) {                 \
    start(Bounds<T>{lower, upper, step}, schedule, chunk);                                         \
  }                                                                                                \
  XOMP_EXPORT void __kmpc_dist_dispatch_init_##suffix(const Ident*, int32_t, int32_t schedule,     \
                                                      int32_t* last, T lower, T upper, Step step,  \
                                                      Step chunk) {                                \
    start_in_team(schedule, last, lower, upper, step, chunk);                                      \
  }                                                                                                \
  XOMP_EXPORT int32_t __kmpc_dispatch_next_##suffix(const Ident* ident, int32_t, int32_t* last,    \
                                                    T* lower, T* upper, Step* step) {              \
    return next(ident, last, lower, upper, step);                                                  \
  }                                                                                                \
  /* An iteration of an ordered loop has ended: counted with its ordered regions. */               \
  XOMP_EXPORT void __kmpc_dispatch_fini_##suffix(const Ident*, int32_t) {}
DISPATCHED_LOOPS(4, int32_t, int32_t)
DISPATCHED_LOOPS(4u, uint32_t, int32_t)
DISPATCHED_LOOPS(8, int64_t, int64_t)
DISPATCHED_LOOPS(8u, uint64_t, int64_t)

/// Behind every such loop since LLVM 19. One that was cancelled has not been left yet.
XOMP_EXPORT void __kmpc_dispatch_deinit(const Ident*, int32_t) {
  leave_construct_if_any(me_if_known());
}

XOMP_EXPORT void __kmpc_sections_init(const Ident*, int32_t, int32_t count) {
  start_loop(me(), sections_spec(count > 0 ? static_cast<unsigned>(count) : 0));
}
/// The number of the next section, from 0 on; `count` when none is left.
XOMP_EXPORT int32_t __kmpc_next_section(const Ident* ident, int32_t, int32_t count) {
  unsigned section = next_section(in_construct(me_if_known()), Described{ident});
  return section ? static_cast<int32_t>(section) - 1 : count;
}
XOMP_EXPORT void __kmpc_end_sections(const Ident*, int32_t) {
  leave_construct_if_any(me_if_known());
}
