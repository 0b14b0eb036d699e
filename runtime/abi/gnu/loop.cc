// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GOMP_loop_* for loops over long, and their ends, which all worksharing loops share.
#include "abi/gnu/loop.h"
#include "abi/omp/versions.h"

#include "team/region.h"

using namespace xomp;

using Number = long;

namespace {

LoopSpec spec_of(long first, long past, long step, uint32_t kind, long chunk,
                 bool ordered = false) {
  return {signed_range(first, past, step), {kind, static_cast<uint64_t>(chunk)}, ordered};
}

} // namespace

#define LOOP_NAME(name) GOMP_loop_##name
#define LOOP_PARAMETERS long first, long past, long step
#define LOOP_RANGE first, past, step
#include "abi/gnu/loop_entries.inc"

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

XOMP_EXPORT void GOMP_loop_end() { end_construct(in_construct(me_if_known())); }
XOMP_EXPORT bool GOMP_loop_end_cancel() { return end_construct(in_construct(me())); }
XOMP_EXPORT void GOMP_loop_end_nowait() { leave_construct(in_construct(me_if_known())); }

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
