// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GOMP_single_*.
#include "worksharing/single.h"

#include "abi/export.h"
#include "abi/omp/versions.h"

XOMP_EXPORT bool GOMP_single_start() { return xomp::single_start(xomp::me()); }
XOMP_EXPORT void* GOMP_single_copy_start() { return xomp::single_copy_start(xomp::me()); }
XOMP_EXPORT void GOMP_single_copy_end(void* data) {
  xomp::single_copy_end(xomp::me(), data, __builtin_return_address(0));
}

XOMP_ALSO_VERSION(GOMP_1.0, GOMP_single_copy_end, GOMP_single_copy_start, GOMP_single_start);
