// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GOMP_loop_* for loops over long, and their ends, which all worksharing loops share.
#include "abi/gnu/loop.h"
#include "abi/omp/versions.h"

#include "team/region.h"

using namespace xomp;

static_assert(sizeof(long) == sizeof(uint64_t), "doacross counts are passed on as they are");

namespace {

LoopSpec spec_of(long first, long past, long step, uint32_t kind, long chunk,
                 bool ordered = false) {
  return {signed_range(first, past, step), {kind, static_cast<uint64_t>(chunk)}, ordered};
}
const uint64_t* plain(const long* counts) { return reinterpret_cast<const uint64_t*>(counts); }

} // namespace

#define START(name, kind)                                                                          \
  XOMP_EXPORT bool GOMP_loop_##name##_start(long first, long past, long step, long chunk,          \
                                            long* begin, long* end) {                              \
    return start_and_next(spec_of(first, past, step, kind, chunk), begin, end);                    \
  }
#define START_RUNTIME(name, kind)                                                                  \
  XOMP_EXPORT bool GOMP_loop_##name##_start(long first, long past, long step, long* begin,         \
                                            long* end) {                                           \
    return start_and_next(spec_of(first, past, step, kind, 0), begin, end);                        \
  }
EACH_SCHEDULE(START, START_RUNTIME)
EACH_NONMONOTONIC(START, START_RUNTIME)

#define START_ORDERED(name, kind)                                                                  \
  XOMP_EXPORT bool GOMP_loop_ordered_##name##_start(long first, long past, long step, long chunk,  \
                                                    long* begin, long* end) {                      \
    return start_and_next(spec_of(first, past, step, kind, chunk, true), begin, end);              \
  }
#define START_ORDERED_RUNTIME(name, kind)                                                          \
  XOMP_EXPORT bool GOMP_loop_ordered_##name##_start(long first, long past, long step, long* begin, \
                                                    long* end) {                                   \
    return start_and_next(spec_of(first, past, step, kind, 0, true), begin, end);                  \
  }
EACH_SCHEDULE(START_ORDERED, START_ORDERED_RUNTIME)

#define START_DOACROSS(name, kind)                                                                 \
  XOMP_EXPORT bool GOMP_loop_doacross_##name##_start(unsigned rank, long* counts, long chunk,      \
                                                     long* begin, long* end) {                     \
    return start_and_next(                                                                         \
        doacross_spec(rank, plain(counts), clause(kind, static_cast<uint64_t>(chunk))), begin,     \
        end);                                                                                      \
  }
#define START_DOACROSS_RUNTIME(name, kind)                                                         \
  XOMP_EXPORT bool GOMP_loop_doacross_##name##_start(unsigned rank, long* counts, long* begin,     \
                                                     long* end) {                                  \
    return start_and_next(doacross_spec(rank, plain(counts), clause(kind, 0)), begin, end);        \
  }
EACH_SCHEDULE(START_DOACROSS, START_DOACROSS_RUNTIME)

XOMP_EXPORT bool GOMP_loop_start(long first, long past, long step, long kind, long chunk,
                                 long* begin, long* end, uintptr_t* reductions, void** memory) {
  LoopSpec spec = spec_of(first, past, step, static_cast<uint32_t>(kind), chunk);
  return start_and_next(spec, begin, end, reductions, memory);
}

XOMP_EXPORT bool GOMP_loop_ordered_start(long first, long past, long step, long kind, long chunk,
                                         long* begin, long* end, uintptr_t* reductions,
                                         void** memory) {
  LoopSpec spec = spec_of(first, past, step, static_cast<uint32_t>(kind), chunk, true);
  return start_and_next(spec, begin, end, reductions, memory);
}

XOMP_EXPORT bool GOMP_loop_doacross_start(unsigned rank, long* counts, long kind, long chunk,
                                          long* begin, long* end, uintptr_t* reductions,
                                          void** memory) {
  LoopSpec spec = doacross_spec(rank, plain(counts), clause(kind, static_cast<uint64_t>(chunk)));
  return start_and_next(spec, begin, end, reductions, memory);
}

XOMP_EXPORT bool GOMP_loop_runtime_next(long* begin, long* end) {
  return next_bounds(me_if_known(), begin, end);
}
#define NEXT(name)                                                                                 \
  XOMP_SAME_AS(GOMP_loop_runtime_next) bool GOMP_loop_##name##_next(long* begin, long* end);
EACH_NEXT(NEXT)

// parallel combined with a loop: up to GCC 4.8 in three calls, of which GOMP_parallel_end is the
// last.
#define PARALLEL(name, kind)                                                                       \
  XOMP_EXPORT void GOMP_parallel_loop_##name(void (*body)(void*), void* data, unsigned threads,    \
                                             long first, long past, long step, long chunk,         \
                                             unsigned flags) {                                     \
    parallel_loop(body, data, threads, flags, spec_of(first, past, step, kind, chunk));            \
  }
#define PARALLEL_RUNTIME(name, kind)                                                               \
  XOMP_EXPORT void GOMP_parallel_loop_##name(void (*body)(void*), void* data, unsigned threads,    \
                                             long first, long past, long step, unsigned flags) {   \
    parallel_loop(body, data, threads, flags, spec_of(first, past, step, kind, 0));                \
  }
EACH_SCHEDULE(PARALLEL, PARALLEL_RUNTIME)
EACH_NONMONOTONIC(PARALLEL, PARALLEL_RUNTIME)

#define PARALLEL_START(name, kind)                                                                 \
  XOMP_EXPORT void GOMP_parallel_loop_##name##_start(void (*body)(void*), void* data,              \
                                                     unsigned threads, long first, long past,      \
                                                     long step, long chunk) {                      \
    start_parallel_loop(body, data, threads, spec_of(first, past, step, kind, chunk),              \
                        {__builtin_return_address(0), __builtin_dwarf_cfa()});                     \
  }
#define PARALLEL_START_RUNTIME(name, kind)                                                         \
  XOMP_EXPORT void GOMP_parallel_loop_##name##_start(                                              \
      void (*body)(void*), void* data, unsigned threads, long first, long past, long step) {       \
    start_parallel_loop(body, data, threads, spec_of(first, past, step, kind, 0),                  \
                        {__builtin_return_address(0), __builtin_dwarf_cfa()});                     \
  }
EACH_SCHEDULE(PARALLEL_START, PARALLEL_START_RUNTIME)

XOMP_EXPORT void GOMP_loop_end() { end_construct(me_if_known()); }
XOMP_EXPORT bool GOMP_loop_end_cancel() { return end_construct(me()); }
XOMP_EXPORT void GOMP_loop_end_nowait() { leave_construct(me_if_known()); }

XOMP_ALSO_VERSION(GOMP_1.0, GOMP_loop_dynamic_next, GOMP_loop_dynamic_start, GOMP_loop_end,
                  GOMP_loop_end_nowait, GOMP_loop_guided_next, GOMP_loop_guided_start,
                  GOMP_loop_ordered_dynamic_next, GOMP_loop_ordered_dynamic_start,
                  GOMP_loop_ordered_guided_next, GOMP_loop_ordered_guided_start,
                  GOMP_loop_ordered_runtime_next, GOMP_loop_ordered_runtime_start,
                  GOMP_loop_ordered_static_next, GOMP_loop_ordered_static_start,
                  GOMP_loop_runtime_next, GOMP_loop_runtime_start, GOMP_loop_static_next,
                  GOMP_loop_static_start, GOMP_parallel_loop_dynamic_start,
                  GOMP_parallel_loop_guided_start, GOMP_parallel_loop_runtime_start,
                  GOMP_parallel_loop_static_start);
XOMP_ALSO_VERSION(GOMP_4.0, GOMP_loop_end_cancel, GOMP_parallel_loop_dynamic,
                  GOMP_parallel_loop_guided, GOMP_parallel_loop_runtime, GOMP_parallel_loop_static);
XOMP_ALSO_VERSION(GOMP_4.5, GOMP_loop_doacross_dynamic_start, GOMP_loop_doacross_guided_start,
                  GOMP_loop_doacross_runtime_start, GOMP_loop_doacross_static_start,
                  GOMP_loop_nonmonotonic_dynamic_next, GOMP_loop_nonmonotonic_dynamic_start,
                  GOMP_loop_nonmonotonic_guided_next, GOMP_loop_nonmonotonic_guided_start,
                  GOMP_parallel_loop_nonmonotonic_dynamic, GOMP_parallel_loop_nonmonotonic_guided);
XOMP_ALSO_VERSION(GOMP_5.0, GOMP_loop_doacross_start, GOMP_loop_maybe_nonmonotonic_runtime_next,
                  GOMP_loop_maybe_nonmonotonic_runtime_start, GOMP_loop_nonmonotonic_runtime_next,
                  GOMP_loop_nonmonotonic_runtime_start, GOMP_loop_ordered_start, GOMP_loop_start,
                  GOMP_parallel_loop_maybe_nonmonotonic_runtime,
                  GOMP_parallel_loop_nonmonotonic_runtime);
