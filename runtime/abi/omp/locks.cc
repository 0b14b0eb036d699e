// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// omp_*_lock and omp_*_nest_lock for C and Fortran, each in two versions: OMP_3.0, whose nestable
// lock belongs to a task, and the one of LLVM (VERSION) and of binaries older than GCC 4.4
// (OMP_1.0), whose nestable lock belongs to a thread. The simple lock is the same in both. The
// hints change nothing.
#include "locks/locks.h"
#include "abi/export.h"
#include "abi/omp/lock_life.h"
#include "sys/memory.h"
#include "task/full_frame.h"
#include "team/team.h"

using xomp::destroy;
using xomp::init;
using xomp::Mutex;
using xomp::NestLock;
using xomp::ThreadNestLock;

// Defines what programs see as `symbol`, in both versions or in one; "@@" is what new programs link
// to.
#define XOMP_NEW(type, symbol)                                                                     \
  XOMP_EXPORT __attribute__((symver(#symbol "@@OMP_3.0"))) type symbol##_30
#define XOMP_OLD(type, symbol)                                                                     \
  XOMP_EXPORT                                                                                      \
  __attribute__((symver(#symbol "@OMP_1.0"), symver(#symbol "@VERSION"))) type symbol##_25
#define XOMP_ANY(type, symbol)                                                                     \
  XOMP_EXPORT                                                                                      \
  __attribute__((symver(#symbol "@@OMP_3.0"), symver(#symbol "@OMP_1.0"),                          \
                 symver(#symbol "@VERSION"))) type symbol##_any
// Of both layouts, with a hint: the newer one has been xomp's own so far.
#define XOMP_HINTED(type, symbol)                                                                  \
  XOMP_EXPORT                                                                                      \
  __attribute__((symver(#symbol "@@XOMP_1.0"), symver(#symbol "@VERSION"))) type symbol##_any
#define XOMP_NEW_HINTED(type, symbol)                                                              \
  XOMP_EXPORT __attribute__((symver(#symbol "@@XOMP_1.0"))) type symbol##_30
#define XOMP_OLD_HINTED(type, symbol)                                                              \
  XOMP_EXPORT __attribute__((symver(#symbol "@VERSION"))) type symbol##_25

namespace {

constexpr auto kLock = xomp::trace::MutexKind::kLock;

/// A task has no identity but its full frame; one that owns a nestable lock gets one.
[[gnu::noinline]] const void* make_known() { return &xomp::own_full_frame(xomp::me()); }
const void* current_task() {
  const void* full_frame = xomp::current_full_frame(*xomp::self);
  return full_frame ? full_frame : make_known();
}

/// A Fortran variable for a nestable lock has room for a pointer only; the lock lies behind it.
[[gnu::always_inline]] inline void make_fortran_lock(NestLock** variable, int hint = 0) {
  *variable = static_cast<NestLock*>(xomp::sys::allocate(sizeof(NestLock), alignof(NestLock)));
  init(*variable, hint);
}

} // namespace

// Simple locks.

XOMP_ANY(void, omp_init_lock)(Mutex* lock) { init(lock); }
XOMP_ANY(void, omp_destroy_lock)(Mutex* lock) { destroy(lock); }
XOMP_ANY(void, omp_set_lock)(Mutex* lock) { lock->acquire(kLock); }
XOMP_ANY(void, omp_unset_lock)(Mutex* lock) { lock->release(kLock); }
XOMP_ANY(int, omp_test_lock)(Mutex* lock) { return lock->try_acquire(kLock); }

XOMP_ANY(void, omp_init_lock_)(Mutex* lock) { init(lock); }
XOMP_ANY(void, omp_destroy_lock_)(Mutex* lock) { destroy(lock); }
XOMP_ANY(void, omp_set_lock_)(Mutex* lock) { lock->acquire(kLock); }
XOMP_ANY(void, omp_unset_lock_)(Mutex* lock) { lock->release(kLock); }
XOMP_ANY(int, omp_test_lock_)(Mutex* lock) { return lock->try_acquire(kLock); }

XOMP_HINTED(void, omp_init_lock_with_hint)(Mutex* lock, int hint) { init(lock, hint); }
XOMP_HINTED(void, omp_init_lock_with_hint_)(Mutex* lock, const int* hint) { init(lock, *hint); }

// Nestable locks that belong to a task.

XOMP_NEW(void, omp_init_nest_lock)(NestLock* lock) { init(lock); }
XOMP_NEW(void, omp_destroy_nest_lock)(NestLock* lock) { destroy(lock); }
XOMP_NEW(void, omp_set_nest_lock)(NestLock* lock) { lock->lock(current_task()); }
XOMP_NEW(void, omp_unset_nest_lock)(NestLock* lock) { lock->unlock(); }
XOMP_NEW(int, omp_test_nest_lock)(NestLock* lock) { return lock->try_lock(current_task()); }

XOMP_NEW(void, omp_init_nest_lock_)(NestLock** lock) { make_fortran_lock(lock); }
XOMP_NEW(void, omp_destroy_nest_lock_)(NestLock** lock) {
  destroy(*lock);
  xomp::sys::destroy(*lock);
  *lock = nullptr;
}
XOMP_NEW(void, omp_set_nest_lock_)(NestLock** lock) { (*lock)->lock(current_task()); }
XOMP_NEW(void, omp_unset_nest_lock_)(NestLock** lock) { (*lock)->unlock(); }
XOMP_NEW(int, omp_test_nest_lock_)(NestLock** lock) { return (*lock)->try_lock(current_task()); }

XOMP_NEW_HINTED(void, omp_init_nest_lock_with_hint)(NestLock* lock, int hint) { init(lock, hint); }
XOMP_NEW_HINTED(void, omp_init_nest_lock_with_hint_)(NestLock** lock, const int* hint) {
  make_fortran_lock(lock, *hint);
}

// Nestable locks that belong to a thread: eight bytes in C and in Fortran.

XOMP_OLD(void, omp_init_nest_lock)(ThreadNestLock* lock) { init(lock); }
XOMP_OLD(void, omp_destroy_nest_lock)(ThreadNestLock* lock) { destroy(lock); }
XOMP_OLD(void, omp_set_nest_lock)(ThreadNestLock* lock) { lock->lock(); }
XOMP_OLD(void, omp_unset_nest_lock)(ThreadNestLock* lock) { lock->unlock(); }
XOMP_OLD(int, omp_test_nest_lock)(ThreadNestLock* lock) { return lock->try_lock(); }

XOMP_OLD(void, omp_init_nest_lock_)(ThreadNestLock* lock) { init(lock); }
XOMP_OLD(void, omp_destroy_nest_lock_)(ThreadNestLock* lock) { destroy(lock); }
XOMP_OLD(void, omp_set_nest_lock_)(ThreadNestLock* lock) { lock->lock(); }
XOMP_OLD(void, omp_unset_nest_lock_)(ThreadNestLock* lock) { lock->unlock(); }
XOMP_OLD(int, omp_test_nest_lock_)(ThreadNestLock* lock) { return lock->try_lock(); }

XOMP_OLD_HINTED(void, omp_init_nest_lock_with_hint)(ThreadNestLock* lock, int hint) {
  init(lock, hint);
}
XOMP_OLD_HINTED(void, omp_init_nest_lock_with_hint_)(ThreadNestLock* lock, const int* hint) {
  init(lock, *hint);
}
