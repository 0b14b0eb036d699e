// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// omp_*_lock and omp_*_nest_lock for C and Fortran, each in two versions: OMP_3.0, whose nestable
// lock belongs to a task, and OMP_1.0 for binaries older than GCC 4.4, whose nestable lock belongs
// to a thread. The simple lock is the same in both. The hints change nothing.
#include <new>

#include "abi/export.h"
#include "sys/memory.h"
#include "team/locks.h"
#include "team/team.h"

using xomp::Mutex;
using xomp::NestLock;
using xomp::ThreadNestLock;

namespace {

const void* current_task() { return xomp::me().current; }

/// In Fortran a nestable lock variable has room for a pointer only: the lock lies behind it.
using FortranNestLock = NestLock*;

} // namespace

/// Defines the function `symbol` of the program's view in a version: "@@" is what new programs
/// link to.
#define XOMP_VERSIONED(symbol, version, local) XOMP_EXPORT [[gnu::symver(#symbol version)]] local

#define XOMP_NEW(symbol) XOMP_VERSIONED(symbol, "@@OMP_3.0", symbol##_30)
#define XOMP_OLD(symbol) XOMP_VERSIONED(symbol, "@OMP_1.0", symbol##_25)

// Simple locks: four bytes in C and in Fortran.

#define XOMP_SIMPLE_LOCK(define, suffix)                                                           \
  define(omp_init_lock##suffix)(Mutex * lock) { new (lock) Mutex; }                                \
  define(omp_destroy_lock##suffix)(Mutex*) {}                                                      \
  define(omp_set_lock##suffix)(Mutex * lock) { lock->lock(); }                                     \
  define(omp_unset_lock##suffix)(Mutex * lock) { lock->unlock(); }                                 \
  define(omp_test_lock##suffix)(Mutex * lock) { return lock->try_lock(); }
