// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers of threads, and which thread asks for one.
#include <algorithm>
#include <atomic>

#include "abi/export.h"
#include "abi/llvm/ident.h"
#include "team/team.h"

using namespace xomp;
using llvm::Ident;

namespace {
constinit std::atomic<int32_t> numbers{0};
} // namespace

int32_t llvm::number_thread() {
  // Relaxed: it only has to be unique.
  int32_t number = numbers.fetch_add(1, std::memory_order_relaxed);
  make_room_in_caches(number);
  return number_of_thread = number;
}

int32_t llvm::known_threads() { return std::max(numbers.load(std::memory_order_relaxed), 1); }

XOMP_EXPORT int32_t __kmpc_global_thread_num(const Ident*) { return llvm::thread_number(); }
XOMP_EXPORT int32_t __kmpc_bound_thread_num(const Ident*) { return self->id; }
XOMP_EXPORT int32_t __kmpc_bound_num_threads(const Ident*) { return self->count; }
/// Of the threads that have had a number: an upper bound, as programs use it to size tables.
XOMP_EXPORT int32_t __kmpc_global_num_threads(const Ident*) {
  return numbers.load(std::memory_order_relaxed);
}
XOMP_EXPORT int32_t __kmpc_in_parallel(const Ident*) { return me().team->active_level > 0; }
XOMP_EXPORT int32_t __kmpc_ok_to_fork(const Ident*) { return 1; }

/// Tasks have no numbers here; nor have they in a libomp that is not built for debugging.
XOMP_EXPORT uint64_t __kmpc_get_taskid() { return ~uint64_t{0}; }
XOMP_EXPORT uint64_t __kmpc_get_parent_taskid() { return ~uint64_t{0}; }

// The program's begin and end: the runtime starts and ends by itself.
XOMP_EXPORT void __kmpc_begin(const Ident*, int32_t) {}
XOMP_EXPORT void __kmpc_end(const Ident*) {}
