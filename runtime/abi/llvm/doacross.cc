// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "abi/llvm/doacross.h"

#include <algorithm>
#include <atomic>

#include "abi/export.h"
#include "abi/llvm/ident.h"
#include "sys/memory.h"
#include "sys/report.h"
#include "task/environment.h"
#include "worksharing/doacross.h"
#include "worksharing/loop.h"

namespace xomp::llvm {

/// One loop of the nest (struct kmp_dim): `upper` is its last value.
struct Dimension {
  int64_t lower, upper, step;
  uint64_t trips() const { return Bounds<int64_t>{lower, upper, step}.trips(); }
};

struct Nest {
  Nest* outer; ///< around the region in which this one was opened
  bool begun;  ///< the loop has come
  uint32_t count;
  uint32_t folded; ///< so many loops, the outermost ones, are collapsed into one
  Dimension* loops() { return reinterpret_cast<Dimension*>(this + 1); }
};

namespace {

/// How many of the outermost loops make `trips` iterations; 0: no number of them does. `less`: of
/// each loop so many iterations less than it says.
uint32_t collapsed(Nest& of, uint64_t trips, uint64_t less) {
  uint64_t product = 1;
  for (uint32_t i = 0; i < of.count; ++i) {
    product *= of.loops()[i].trips() - less;
    if (product == trips)
      return i + 1;
  }
  return 0;
}

/// How many of the outermost loops the construct itself divides (collapse). Clang numbers the
/// iterations from 0 on, and gives as the last one what is one too many: a dependence on that would
/// be waited for for ever.
uint32_t fold(Nest& of, uint64_t trips) {
  if (uint32_t folded = collapsed(of, trips, 1)) {
    for (uint32_t i = 0; i < of.count; ++i)
      of.loops()[i].upper -= of.loops()[i].step;
    return folded;
  }
  return std::max(collapsed(of, trips, 0), 1u);
}

/// Begins a loop as one whose iterations wait for one another.
void start_nest(Member& member, LoopSpec spec) {
  nest->begun = true;
  nest->folded = fold(*nest, spec.range.trips);
  unsigned rank = nest->count - nest->folded + 1;
  auto* counts = static_cast<uint64_t*>(__builtin_alloca(rank * sizeof(uint64_t)));
  counts[0] = spec.range.trips;
  for (unsigned i = 1; i < rank; ++i)
    counts[i] = nest->loops()[nest->folded + i - 1].trips();
  spec.ordered = false;
  spec.rank = rank;
  spec.counts = counts;
  start_loop(member, spec);
}

/// The numbers of the iteration with these values; false: there is none.
bool iteration_of(const int64_t* values, uint64_t* iteration) {
  uint64_t* number = iteration;
  *number = 0;
  for (uint32_t i = 0; i < nest->count; ++i) {
    const Dimension& loop = nest->loops()[i];
    bool up = loop.step > 0;
    if (up ? values[i] < loop.lower || values[i] > loop.upper
           : values[i] > loop.lower || values[i] < loop.upper)
      return false;
    auto distance = static_cast<uint64_t>(values[i]) - static_cast<uint64_t>(loop.lower);
    auto step = static_cast<uint64_t>(loop.step);
    uint64_t at = up ? distance / step : (0 - distance) / (0 - step);
    if (i >= nest->folded)
      *++number = 0;
    *number = i < nest->folded ? *number * loop.trips() + at : at;
  }
  return true;
}

/// Calls `act` with the iteration, where there is somebody to wait for; else the construct is still
/// a flush (OpenMP 5.2, 15.8.5).
template <class Act> void with_iteration(const int64_t* values, Act act) {
  Member& member = me();
  if (!nest) [[unlikely]]
    sys::fatal("a dependence between iterations, in no doacross loop");
  if (doacross_rank(member) == 0)
    return std::atomic_thread_fence(std::memory_order_seq_cst);
  auto* iteration = static_cast<uint64_t*>(__builtin_alloca(nest->count * sizeof(uint64_t)));
  if (iteration_of(values, iteration))
    act(member, iteration);
}

/// Blocks of whole chunks, one for each member: as a member that divides the loop in place has
/// them.
Schedule in_blocks(const Member& member, uint64_t trips, uint64_t chunk) {
  chunk = std::clamp<uint64_t>(chunk, 1, std::max<uint64_t>(trips, 1));
  return {kScheduleStatic, whole_chunks(trips, static_cast<uint64_t>(member.count), chunk)};
}

/// `schedule(simd: runtime)` of Intel's compilers: the variable's chunks have so many vectors.
Schedule of_vectors(const Member& member, uint64_t trips, uint64_t vector) {
  const Icv& own = icv(member);
  uint32_t kind = own.schedule_kind & ~kScheduleModifiers;
  bool chunked = kind == kScheduleStatic ? own.schedule_chunk > 0 : kind != kScheduleAuto;
  if (!chunked || own.schedule_kind == kDefaultSchedule)
    return in_blocks(member, trips, vector);
  return {kind, static_cast<uint64_t>(own.schedule_chunk) * std::max<uint64_t>(vector, 1)};
}

} // namespace

Schedule core_schedule(const NamedSchedule& schedule, int64_t chunk, uint64_t trips) {
  using Named = NamedSchedule;
  auto size = static_cast<uint64_t>(chunk > 0 ? chunk : 0);
  switch (schedule.kind) {
  case Named::kStaticChunked:
    return {kScheduleStatic, size};
  case Named::kStaticBalancedChunked:
    return in_blocks(me(), trips, size);
  case Named::kStatic:
  case Named::kStaticGreedy:
  case Named::kStaticBalanced:
    return {kScheduleStatic, 0};
  case Named::kDynamic:
  case Named::kStaticSteal: // LLVM's and Intel's runtimes divide what is nonmonotonic at once
    return {kScheduleDynamic | (schedule.nonmonotonic ? kMayDivide : 0), size};
  case Named::kGuided:
  case Named::kTrapezoidal:
  case Named::kGuidedIterative:
  case Named::kGuidedAnalytical:
  case Named::kGuidedSimd:
    return {kScheduleGuided, size};
  case Named::kRuntimeSimd:
    return of_vectors(me(), trips, size);
  case Named::kRuntime: {
    uint32_t asked = icv(me()).schedule_kind;
    if (asked == kDefaultSchedule)
      return {kScheduleStatic, 0}; // libomp's
    if ((asked & ~kScheduleModifiers) != kScheduleAuto)
      return {kScheduleRuntime, 0};
    [[fallthrough]];
  }
  case Named::kAuto:
    return {kScheduleGuided, 0}; // libomp's
  default:
    sys::fatal("__kmpc_dispatch_init: there is no schedule of kind %u", schedule.kind);
  }
}

void start_loop_or_doacross(Member& member, LoopSpec spec) {
  if (nest && !nest->begun) [[unlikely]]
    start_nest(member, spec);
  else
    start_loop(member, spec);
}

void begin_divided_doacross(uint64_t trips, const NamedSchedule& schedule, int64_t chunk) {
  if (nest->begun)
    return;
  LoopSpec spec{range_up(0, trips, 1, trips == 0), core_schedule(schedule, chunk, trips)};
  start_nest(me(), spec);
}

} // namespace xomp::llvm

using namespace xomp;
using namespace xomp::llvm;

XOMP_EXPORT void __kmpc_doacross_init(const Ident*, int32_t, int32_t count, const void* loops) {
  expect_nest(count > 0, loops);
  auto number = static_cast<uint32_t>(count);
  auto* opened = static_cast<Nest*>(sys::allocate(sizeof(Nest) + number * sizeof(Dimension)));
  *opened = {nest, false, number, 1};
  __builtin_memcpy(opened->loops(), loops, number * sizeof(Dimension));
  nest = opened;
}
XOMP_EXPORT void __kmpc_doacross_post(const Ident*, int32_t, const int64_t* values) {
  with_iteration(values, [](Member& member, uint64_t* at) { doacross_post(member, at); });
}
namespace {

[[gnu::always_inline]] inline void wait(Caller caller, const int64_t* values) {
  with_iteration(values,
                 [=](Member& member, uint64_t* at) { doacross_wait(member, at, caller.codeptr); });
}

} // namespace

XOMP_EXPORT void __kmpc_doacross_wait(const Ident* ident, int32_t, const int64_t* values) {
  call_described<wait>(self->track, ident, values);
}
XOMP_EXPORT void __kmpc_doacross_fini(const Ident*, int32_t) {
  if (!nest) [[unlikely]]
    sys::fatal("the end of a doacross loop without its beginning");
  leave_construct_if_any(me()); // where the program divided the loop
  Nest* outer = nest->outer;
  sys::release(nest);
  nest = outer;
}
