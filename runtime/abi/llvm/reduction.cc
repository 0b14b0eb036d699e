// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reduction clause. Each thread either adds what it has to the originals in a critical region,
// or with atomic operations, which the program says that it has.
#include <cstddef>

#include "abi/export.h"
#include "abi/llvm/barrier.h"
#include "abi/llvm/ident.h"
#include "locks/locks.h"

using namespace xomp;
using namespace xomp::llvm;
using trace::MutexKind;

namespace {

/// What the program is to do.
enum Way : int32_t { kInCritical = 1, kAtomically = 2 };

/// Asked at both ends of a construct, which come to one answer.
Way way(const Ident* ident) {
  bool atomic = self->count > 1 && ident && ident->flags & kAtomicReduce;
  return atomic ? kAtomically : kInCritical;
}

// Inline, so that the return address is the program's.
[[gnu::always_inline]] inline int32_t begin(const Ident* ident, void* lock) {
  Way chosen = way(ident);
  if (chosen == kInCritical && self->count > 1)
    static_cast<Mutex*>(lock)->acquire(MutexKind::kCritical, Described{ident});
  return chosen;
}

[[gnu::always_inline]] inline void end(const Ident* ident, void* lock) {
  if (way(ident) == kInCritical && self->count > 1)
    static_cast<Mutex*>(lock)->release(MutexKind::kCritical);
}

} // namespace

XOMP_EXPORT int32_t __kmpc_reduce_nowait(const Ident* ident, int32_t, int32_t, std::size_t, void*,
                                         void (*)(void*, void*), void* lock) {
  return begin(ident, lock);
}
/// Not called behind atomic operations, of which there is nothing to end.
XOMP_EXPORT void __kmpc_end_reduce_nowait(const Ident* ident, int32_t, void* lock) {
  end(ident, lock);
}

XOMP_EXPORT int32_t __kmpc_reduce(const Ident* ident, int32_t, int32_t, std::size_t, void*,
                                  void (*)(void*, void*), void* lock) {
  return begin(ident, lock);
}
XOMP_EXPORT void __kmpc_end_reduce(const Ident* ident, int32_t, void* lock) {
  end(ident, lock);
  barrier(ident, me());
}
