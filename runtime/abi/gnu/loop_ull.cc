// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GOMP_loop_ull_*: the same entry points for loops over unsigned long long, whose direction is an
// argument of its own.
#include "abi/gnu/loop.h"
#include "abi/omp/versions.h"

using namespace xomp;
using Ull = unsigned long long;

static_assert(sizeof(Ull) == sizeof(uint64_t));

namespace {

LoopSpec spec_of(bool up, Ull first, Ull past, Ull step, uint32_t kind, Ull chunk,
                 bool ordered = false) {
  LoopType type = up ? LoopType::kUnsignedUp : LoopType::kUnsignedDown;
  return {unsigned_range(up, first, past, step), {kind, chunk}, ordered, type};
}
const uint64_t* plain(const Ull* counts) { return reinterpret_cast<const uint64_t*>(counts); }

} // namespace

#define START(name, kind)                                                                          \
  XOMP_EXPORT bool GOMP_loop_ull_##name##_start(bool up, Ull first, Ull past, Ull step, Ull chunk, \
                                                Ull* begin, Ull* end) {                            \
    return start_and_next(spec_of(up, first, past, step, kind, chunk), begin, end);                \
  }
#define START_RUNTIME(name, kind)                                                                  \
  XOMP_EXPORT bool GOMP_loop_ull_##name##_start(bool up, Ull first, Ull past, Ull step,            \
                                                Ull* begin, Ull* end) {                            \
    return start_and_next(spec_of(up, first, past, step, kind, 0), begin, end);                    \
  }
EACH_SCHEDULE(START, START_RUNTIME)
EACH_NONMONOTONIC(START, START_RUNTIME)

#define START_ORDERED(name, kind)                                                                  \
  XOMP_EXPORT bool GOMP_loop_ull_ordered_##name##_start(bool up, Ull first, Ull past, Ull step,    \
                                                        Ull chunk, Ull* begin, Ull* end) {         \
    return start_and_next(spec_of(up, first, past, step, kind, chunk, true), begin, end);          \
  }
#define START_ORDERED_RUNTIME(name, kind)                                                          \
  XOMP_EXPORT bool GOMP_loop_ull_ordered_##name##_start(bool up, Ull first, Ull past, Ull step,    \
                                                        Ull* begin, Ull* end) {                    \
    return start_and_next(spec_of(up, first, past, step, kind, 0, true), begin, end);              \
  }
EACH_SCHEDULE(START_ORDERED, START_ORDERED_RUNTIME)

#define START_DOACROSS(name, kind)                                                                 \
  XOMP_EXPORT bool GOMP_loop_ull_doacross_##name##_start(unsigned rank, Ull* counts, Ull chunk,    \
                                                         Ull* begin, Ull* end) {                   \
    return start_and_next(doacross_spec(rank, plain(counts), clause(kind, chunk)), begin, end);    \
  }
#define START_DOACROSS_RUNTIME(name, kind)                                                         \
  XOMP_EXPORT bool GOMP_loop_ull_doacross_##name##_start(unsigned rank, Ull* counts, Ull* begin,   \
                                                         Ull* end) {                               \
    return start_and_next(doacross_spec(rank, plain(counts), clause(kind, 0)), begin, end);        \
  }
EACH_SCHEDULE(START_DOACROSS, START_DOACROSS_RUNTIME)

XOMP_EXPORT bool GOMP_loop_ull_start(bool up, Ull first, Ull past, Ull step, long kind, Ull chunk,
                                     Ull* begin, Ull* end, uintptr_t* reductions, void** memory) {
  LoopSpec spec = spec_of(up, first, past, step, static_cast<uint32_t>(kind), chunk);
  return start_and_next(spec, begin, end, reductions, memory);
}

XOMP_EXPORT bool GOMP_loop_ull_ordered_start(bool up, Ull first, Ull past, Ull step, long kind,
                                             Ull chunk, Ull* begin, Ull* end, uintptr_t* reductions,
                                             void** memory) {
  LoopSpec spec = spec_of(up, first, past, step, static_cast<uint32_t>(kind), chunk, true);
  return start_and_next(spec, begin, end, reductions, memory);
}

XOMP_EXPORT bool GOMP_loop_ull_doacross_start(unsigned rank, Ull* counts, long kind, Ull chunk,
                                              Ull* begin, Ull* end, uintptr_t* reductions,
                                              void** memory) {
  return start_and_next(doacross_spec(rank, plain(counts), clause(kind, chunk)), begin, end,
                        reductions, memory);
}

XOMP_EXPORT bool GOMP_loop_ull_runtime_next(Ull* begin, Ull* end) {
  return next_bounds(me_if_known(), begin, end);
}
#define NEXT(name)                                                                                 \
  XOMP_SAME_AS(GOMP_loop_ull_runtime_next) bool GOMP_loop_ull_##name##_next(Ull* begin, Ull* end);
EACH_NEXT(NEXT)

XOMP_ALSO_VERSION(GOMP_2.0, GOMP_loop_ull_dynamic_next, GOMP_loop_ull_dynamic_start,
                  GOMP_loop_ull_guided_next, GOMP_loop_ull_guided_start,
                  GOMP_loop_ull_ordered_dynamic_next, GOMP_loop_ull_ordered_dynamic_start,
                  GOMP_loop_ull_ordered_guided_next, GOMP_loop_ull_ordered_guided_start,
                  GOMP_loop_ull_ordered_runtime_next, GOMP_loop_ull_ordered_runtime_start,
                  GOMP_loop_ull_ordered_static_next, GOMP_loop_ull_ordered_static_start,
                  GOMP_loop_ull_runtime_next, GOMP_loop_ull_runtime_start,
                  GOMP_loop_ull_static_next, GOMP_loop_ull_static_start);
XOMP_ALSO_VERSION(GOMP_4.5, GOMP_loop_ull_doacross_dynamic_start,
                  GOMP_loop_ull_doacross_guided_start, GOMP_loop_ull_doacross_runtime_start,
                  GOMP_loop_ull_doacross_static_start, GOMP_loop_ull_nonmonotonic_dynamic_next,
                  GOMP_loop_ull_nonmonotonic_dynamic_start, GOMP_loop_ull_nonmonotonic_guided_next,
                  GOMP_loop_ull_nonmonotonic_guided_start);
XOMP_ALSO_VERSION(GOMP_5.0, GOMP_loop_ull_doacross_start,
                  GOMP_loop_ull_maybe_nonmonotonic_runtime_next,
                  GOMP_loop_ull_maybe_nonmonotonic_runtime_start,
                  GOMP_loop_ull_nonmonotonic_runtime_next, GOMP_loop_ull_nonmonotonic_runtime_start,
                  GOMP_loop_ull_ordered_start, GOMP_loop_ull_start);
