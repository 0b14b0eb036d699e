// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entry points of parallel regions.
#include "abi/export.h"
#include "abi/omp/versions.h"
#include "team/region.h"

using namespace xomp;

XOMP_EXPORT void GOMP_parallel_start(void (*body)(void*), void* data, unsigned threads) {
  start_parallel(body, data, threads, {__builtin_return_address(0), __builtin_dwarf_cfa()});
}

XOMP_EXPORT void GOMP_parallel_end() { end_parallel(); }

/// `flags`: a proc_bind clause in the low three bits.
XOMP_EXPORT void GOMP_parallel(void (*body)(void*), void* data, unsigned threads, unsigned flags) {
  parallel(body, data, threads, flags & 7);
}

XOMP_ALSO_VERSION(GOMP_1.0, GOMP_parallel_end, GOMP_parallel_start);
XOMP_ALSO_VERSION(GOMP_4.0, GOMP_parallel);
