// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entry points of the barrier and of cancellation.
#include "team/barrier.h"
#include "abi/export.h"
#include "abi/omp/versions.h"
#include "worksharing/cancel.h"

using namespace xomp;

XOMP_EXPORT void GOMP_barrier() { barrier(me()); }

XOMP_EXPORT bool GOMP_barrier_cancel() { return barrier(me()); }

XOMP_EXPORT bool GOMP_cancel(int which, bool condition) {
  return condition ? cancel(me(), which) : cancellation_point(me(), which);
}

XOMP_EXPORT bool GOMP_cancellation_point(int which) { return cancellation_point(me(), which); }

XOMP_ALSO_VERSION(GOMP_1.0, GOMP_barrier);
XOMP_ALSO_VERSION(GOMP_4.0, GOMP_barrier_cancel, GOMP_cancel, GOMP_cancellation_point);
