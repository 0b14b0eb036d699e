// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Locks of compilers that call these in place of omp_*_lock to say where the call stands. They are
// the same locks: four bytes of the eight, and for nestable ones all eight.
#include <cstdint>

#include "abi/export.h"
#include "abi/llvm/ident.h"
#include "abi/omp/lock_life.h"

using namespace xomp;
using llvm::Ident;

namespace {
constexpr auto kLock = trace::MutexKind::kLock;
} // namespace

XOMP_EXPORT void __kmpc_init_lock(const Ident*, int32_t, Mutex* lock) { init(lock); }
XOMP_EXPORT void __kmpc_init_lock_with_hint(const Ident*, int32_t, Mutex* lock, uintptr_t hint) {
  init(lock, static_cast<int>(hint));
}
XOMP_EXPORT void __kmpc_destroy_lock(const Ident*, int32_t, Mutex* lock) { destroy(lock); }
XOMP_EXPORT void __kmpc_set_lock(const Ident*, int32_t, Mutex* lock) { lock->acquire(kLock); }
XOMP_EXPORT void __kmpc_unset_lock(const Ident*, int32_t, Mutex* lock) { lock->release(kLock); }
XOMP_EXPORT int __kmpc_test_lock(const Ident*, int32_t, Mutex* lock) {
  return lock->try_acquire(kLock);
}

XOMP_EXPORT void __kmpc_init_nest_lock(const Ident*, int32_t, ThreadNestLock* lock) { init(lock); }
XOMP_EXPORT void __kmpc_init_nest_lock_with_hint(const Ident*, int32_t, ThreadNestLock* lock,
                                                 uintptr_t hint) {
  init(lock, static_cast<int>(hint));
}
XOMP_EXPORT void __kmpc_destroy_nest_lock(const Ident*, int32_t, ThreadNestLock* lock) {
  destroy(lock);
}
XOMP_EXPORT void __kmpc_set_nest_lock(const Ident*, int32_t, ThreadNestLock* lock) { lock->lock(); }
XOMP_EXPORT void __kmpc_unset_nest_lock(const Ident*, int32_t, ThreadNestLock* lock) {
  lock->unlock();
}
XOMP_EXPORT int __kmpc_test_nest_lock(const Ident*, int32_t, ThreadNestLock* lock) {
  return lock->try_lock();
}
