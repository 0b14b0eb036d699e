// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GOMP_critical_* and GOMP_atomic_*. A named critical's pointer-sized cell in the program starts as
// zero and is itself the mutex.
#include "abi/export.h"
#include "abi/omp/versions.h"
#include "locks/locks.h"

using xomp::Mutex;
using xomp::trace::MutexKind;

static_assert(sizeof(Mutex) <= sizeof(void*));

XOMP_EXPORT void GOMP_critical_start() {
  // The flush on entry (OpenMP 5.2, 15.8.5): what this thread wrote before is ordered before the
  // region.
  std::atomic_thread_fence(std::memory_order_release);
  xomp::unnamed_critical.acquire(MutexKind::kCritical);
}

XOMP_EXPORT void GOMP_critical_end() { xomp::unnamed_critical.release(MutexKind::kCritical); }

XOMP_EXPORT void GOMP_critical_name_start(void** cell) {
  std::atomic_thread_fence(std::memory_order_release);
  reinterpret_cast<Mutex*>(cell)->acquire(MutexKind::kCritical);
}

XOMP_EXPORT void GOMP_critical_name_end(void** cell) {
  reinterpret_cast<Mutex*>(cell)->release(MutexKind::kCritical);
}

XOMP_EXPORT void GOMP_atomic_start() { xomp::unnamed_atomic.acquire(MutexKind::kAtomic); }

XOMP_EXPORT void GOMP_atomic_end() { xomp::unnamed_atomic.release(MutexKind::kAtomic); }

XOMP_ALSO_VERSION(GOMP_1.0, GOMP_atomic_end, GOMP_atomic_start, GOMP_critical_end,
                  GOMP_critical_name_end, GOMP_critical_name_start, GOMP_critical_start);
