// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GOMP_loop_ull_*: the same entry points for loops over unsigned long long, whose direction is an
// argument of its own.
#include "abi/gnu/loop.h"
#include "abi/omp/versions.h"

using namespace xomp;
using Number = unsigned long long;

namespace {

LoopSpec spec_of(bool up, Number first, Number past, Number step, uint32_t kind, Number chunk,
                 bool ordered = false) {
  LoopType type = up ? LoopType::kUnsignedUp : LoopType::kUnsignedDown;
  return {unsigned_range(up, first, past, step), {kind, chunk}, ordered, type};
}

} // namespace

#define LOOP_NAME(name) GOMP_loop_ull_##name
#define LOOP_PARAMETERS bool up, Number first, Number past, Number step
#define LOOP_RANGE up, first, past, step
#include "abi/gnu/loop_entries.inc"

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
