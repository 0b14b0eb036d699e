// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What GCC 16 calls instead of older entry points, so that tools see which construct it was:
// barriers with their kind, and worksharing and masked without the omp routines.
#include "abi/export.h"
#include "team/barrier.h"
#include "team/team.h"

namespace {

/// The kinds are 0 and 1 for the implicit barriers of parallel and of worksharing, 2 for explicit
/// ones.
uint8_t flags_of(int kind) { return kind == 2 ? 0 : xomp::trace::kBarrierFlagImplicit; }

} // namespace

XOMP_EXPORT void GOMP_barrier_ext(int kind) { xomp::barrier(xomp::me(), flags_of(kind)); }

XOMP_EXPORT bool GOMP_barrier_cancel_ext(int kind) {
  return xomp::barrier(xomp::me(), flags_of(kind));
}

XOMP_EXPORT bool GOMP_has_masked_thread_num(int number) { return xomp::self->id == number; }

/// Number of threads in the low half, number of this thread in the high one: a GCC _Complex int.
XOMP_EXPORT __complex__ int GOMP_loop_static_worksharing() {
  __complex__ int share;
  __real__ share = xomp::self->count;
  __imag__ share = xomp::self->id;
  return share;
}
