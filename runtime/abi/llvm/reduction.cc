// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reduction clause. Each thread either adds what it has to the originals in a critical region,
// or with atomic operations, which the program says that it has.
#include <cstddef>

#include "abi/export.h"
#include "abi/llvm/ident.h"
#include "locks/locks.h"
#include "team/barrier.h"

using namespace xomp;
using namespace xomp::llvm;
using trace::MutexKind;

namespace {

/// What the program is to do.
enum Way : int32_t { kInCritical = 1, kAtomically = 2 };

/// The same at both ends of one construct.
Way way(const Ident* place) {
  bool atomic = self->count > 1 && place && place->flags & kAtomicReduce;
  return atomic ? kAtomically : kInCritical;
}

int32_t begin(const Ident* place, void* lock) {
  Way chosen = way(place);
  if (chosen == kInCritical && self->count > 1)
    static_cast<Mutex*>(lock)->acquire(MutexKind::kCritical);
  return chosen;
}

void end(const Ident* place, void* lock) {
  if (way(place) == kInCritical && self->count > 1)
    static_cast<Mutex*>(lock)->release(MutexKind::kCritical);
}

} // namespace

XOMP_EXPORT int32_t __kmpc_reduce_nowait(const Ident* place, int32_t, int32_t, std::size_t, void*,
                                         void (*)(void*, void*), void* lock) {
  return begin(place, lock);
}
/// Not called behind atomic operations, of which there is nothing to end.
XOMP_EXPORT void __kmpc_end_reduce_nowait(const Ident* place, int32_t, void* lock) {
  end(place, lock);
}

XOMP_EXPORT int32_t __kmpc_reduce(const Ident* place, int32_t, int32_t, std::size_t, void*,
                                  void (*)(void*, void*), void* lock) {
  return begin(place, lock);
}
XOMP_EXPORT void __kmpc_end_reduce(const Ident* place, int32_t, void* lock) {
  end(place, lock);
  barrier(me(), trace::kEndsConstruct);
}
