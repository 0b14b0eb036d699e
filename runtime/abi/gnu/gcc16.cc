// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What GCC 16 calls instead of older entry points, so that tools see which construct it was:
// barriers with their kind, and worksharing and masked without the omp routines.
#include "abi/export.h"
#include "team/barrier.h"
#include "team/team.h"

XOMP_EXPORT void GOMP_barrier_ext(int) { xomp::barrier(xomp::me()); }

XOMP_EXPORT bool GOMP_barrier_cancel_ext(int) { return xomp::barrier(xomp::me()); }

XOMP_EXPORT bool GOMP_has_masked_thread_num(int number) { return xomp::self->id == number; }

/// Number of threads in the low half, number of this thread in the high one: a GCC _Complex int.
XOMP_EXPORT __complex__ int GOMP_loop_static_worksharing() {
  __complex__ int share;
  __real__ share = xomp::self->count;
  __imag__ share = xomp::self->id;
  return share;
}
