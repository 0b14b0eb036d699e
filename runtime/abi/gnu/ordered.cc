// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GOMP_ordered_*.
#include "worksharing/ordered.h"

#include "abi/export.h"
#include "abi/omp/versions.h"

XOMP_EXPORT void GOMP_ordered_start() { xomp::ordered_start(xomp::me()); }
XOMP_EXPORT void GOMP_ordered_end() { xomp::ordered_end(xomp::me()); }

XOMP_ALSO_VERSION(GOMP_1.0, GOMP_ordered_end, GOMP_ordered_start);
